"""The command line. Each command group is one module; what is heavy is imported when a command runs."""

from __future__ import annotations

from worldmodel.cli.app import app, main

__all__ = ["app", "main"]
