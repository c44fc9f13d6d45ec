"""The command line."""

from __future__ import annotations


def main() -> None:
    """Run the `worldmodel` command."""
    raise SystemExit("worldmodel: no command yet")
