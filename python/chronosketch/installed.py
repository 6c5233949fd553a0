"""Find what belongs to the package, whether it is installed, or imported from a zip file."""

from __future__ import annotations

import pkgutil


def version() -> str:
    """Return the version of the package.

    Examples
    --------
    >>> from chronosketch.installed import version
    >>> version().count(".") >= 1
    True
    """
    # Imported here, because reading a sketch without an error does not need it.
    from importlib import metadata

    try:
        return metadata.version("chronosketch")
    except metadata.PackageNotFoundError:
        # as when Spark sends the package to its workers with --py-files
        return (resource("chronosketch", "VERSION") or "of unknown number").strip()


def resource(package: str, name: str) -> str | None:
    """Return the text of a file of the package, or None if it is not there."""
    try:
        data = pkgutil.get_data(package, name)
    except OSError:
        return None
    return None if data is None else data.decode()
