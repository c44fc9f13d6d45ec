"""Where episodes are counted: here, in several processes, or by Ray."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rules.errors import WorldModelError

if TYPE_CHECKING:
    from worldmodel.learning import Spread

LOCAL = "local"
Processes = Annotated[int, typer.Option("--workers", "-j", min=1, max=256, help="Processes.")]
Ray = Annotated[bool, typer.Option("--ray", help="Spread the work through Ray (the ray extra).")]
RayAddress = Annotated[
    str,
    typer.Option("--ray-address", envvar="RAY_ADDRESS", help="Of Ray's cluster; local: start one here."),
]


@contextmanager
def spread(workers: int = 1, ray: bool = False, address: str = LOCAL) -> Iterator[Spread]:
    """What spreads chunks of episodes, as the options say; the result does not depend on it."""
    from worldmodel.learning import here

    with cluster(ray, workers, address) as elsewhere:
        yield elsewhere or (_processes(workers) if workers > 1 else here)


@contextmanager
def cluster(ray: bool, workers: int, address: str) -> Iterator[Any]:
    """Ray's cluster, for as long as it is needed; None where it is not asked for."""
    if ray and workers > 1:
        raise typer.BadParameter("Ray knows the number of cores; leave out --workers", param_hint="--ray")
    found = _cluster(address) if ray else None
    try:
        yield found
    finally:
        if found is not None:
            found.close()


def _cluster(address: str) -> Any:
    try:
        from worldmodel.cluster import Cluster
    except ImportError as error:
        raise WorldModelError(f"--ray needs the extra: pip install 'worldmodel[ray]' ({error})") from None
    return Cluster(address)


def _processes(workers: int) -> Spread:
    from worldmodel.parallel import Workers

    def processes(begin: Any, chunks: Iterable[Sequence[Any]]) -> Iterator[Any]:
        return Workers(begin, workers, _name).map(chunks)

    return processes


def _name(chunk: Sequence[Any]) -> str:
    """A chunk of episodes, or of files, for a message."""
    first, last = (getattr(item, "id", item) for item in (chunk[0], chunk[-1]))
    return f"{first!s:.80}" + (f" to {last!s:.80}" if len(chunk) > 1 else "")
