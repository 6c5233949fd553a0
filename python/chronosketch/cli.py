"""The command line: ``chronosketch sql``, ``ask``, ``doctor``, ``demo``, ``advise`` and ``calibrate``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. A user's mistake gives one message on standard error, and exit code 1."""
    try:
        from chronosketch.commands import app
    except ModuleNotFoundError as missing:
        if missing.name not in ("typer", "rich"):
            raise
        from chronosketch.installed import pip_install

        sys.exit(f"The command line needs {missing.name}: {pip_install('cli', missing.name)}")
    app()
