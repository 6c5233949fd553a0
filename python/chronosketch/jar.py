"""Where the jar is that this package carries."""

from pathlib import Path

from chronosketch.errors import ChronosketchError


def jar_path() -> Path:
    """Return the one jar of the installed package.

    Raises
    ------
    ChronosketchError
        If the package carries no jar, as when it is imported from its sources.
    """
    folder = Path(__file__).parent / "jars"
    jars = sorted(folder.glob("*.jar"))
    if len(jars) != 1:
        raise ChronosketchError(
            f"{folder} holds {len(jars)} jars where there should be one: install the package "
            "(`pip install .` at the top of the repository) instead of importing it from its sources."
        )
    return jars[0]
