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
    # Not of the metadata: if this is the zip file that Spark sent to a worker, an installed package may have
    # another version.
    found = resource("chronosketch", "VERSION")
    if found is not None:
        return found.strip()
    # Imported here, because reading a sketch without an error does not need it.
    from importlib import metadata

    try:
        return metadata.version("chronosketch")
    except metadata.PackageNotFoundError:
        return "of unknown number"


def pip_install(extra: str, module: str) -> str:
    """Return the command that installs what an extra of the package needs.

    It names only the other projects: no index has chronosketch itself yet.

    Parameters
    ----------
    extra : str
        The extra, as in ``pip install '.[cli]'``.
    module : str
        The project to name if the package has no metadata, as in a zip file.

    Examples
    --------
    >>> from chronosketch.installed import pip_install
    >>> pip_install("cli", "typer").startswith("pip install 'rich>=")
    True
    """
    import re
    import shlex
    from importlib import metadata

    try:
        required = metadata.requires("chronosketch") or []
    except metadata.PackageNotFoundError:
        required = []
    extras, needed = [extra], []
    for one in extras:  # grows: an extra can name others
        for line in required:
            project, _, marker = (part.strip() for part in line.partition(";"))
            if f"extra == {one!r}" not in marker.replace('"', "'"):
                continue
            ours = re.match(r"chronosketch\[([\w,]+)\]", project)
            if ours:
                extras += [name for name in ours.group(1).split(",") if name not in extras]
            elif not project.startswith("chronosketch"):
                needed.append(shlex.quote(project))
    return " ".join(["pip install", *(sorted(dict.fromkeys(needed)) or [module])])


def resource(package: str, name: str) -> str | None:
    """Return the text of a file of the package, or None if it is not there."""
    try:
        data = pkgutil.get_data(package, name)
    except OSError:
        return None
    return None if data is None else data.decode()
