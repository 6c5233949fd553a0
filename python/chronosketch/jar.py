"""Find the jar inside the installed package."""

from pathlib import Path

from chronosketch.errors import ChronosketchError


def jar_path() -> Path:
    """Return the path of the jar in the installed package.

    Raises
    ------
    ChronosketchError
        If the package carries no jar, as when it is imported from its sources. Install the package.
    """
    folder = Path(__file__).parent / "jars"
    jars = sorted(folder.glob("*.jar"))
    if len(jars) != 1:
        raise ChronosketchError(
            f"{folder} holds {len(jars)} jars, and there should be one. Do not import the package from its "
            "sources: install it (`pip install .` at the top of the repository)."
        )
    return jars[0]
