"""Real data that stands beside the project."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

ARCHIVE = Path(__file__).parents[3] / "shared/data/amlgym/amlgym_11_domains.tar.xz"


@pytest.fixture(scope="session")
def amlgym(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """AMLGym's domains, problems and trajectories, unpacked."""
    if not ARCHIVE.exists():
        pytest.skip(f"no {ARCHIVE.name} beside the project")
    folder = tmp_path_factory.mktemp("amlgym")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder
