"""``python -m worldmodel``."""

from __future__ import annotations

from worldmodel.cli import main

if __name__ == "__main__":
    main()
