"""Holds the jar of chronosketch. Everything else is in the project chronosketch."""

from pathlib import Path


def jar_path() -> Path:
    """Return the path of the jar.

    Raises
    ------
    FileNotFoundError
        If there is no jar, as when the package is imported from its sources. Install it.
    """
    folder = Path(__file__).parent / "jars"
    jars = sorted(folder.glob("chronosketch-spark_*.jar"))
    if len(jars) != 1:
        raise FileNotFoundError(f"{folder} holds {len(jars)} jars, and there should be one.")
    return jars[0]
