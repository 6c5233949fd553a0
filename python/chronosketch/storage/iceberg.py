"""Read an Iceberg table through its metadata, with the library pyiceberg."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chronosketch.errors import ChronosketchError
from chronosketch.storage.delta import in_order
from chronosketch.storage.formats import METADATA_FILE, StoredTable, first_line, metadata_files
from chronosketch.storage.parquet import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyarrow import Table

INSTALL = "pip install 'pyiceberg>=0.12'"
_NUMBER = re.compile(r"v?(\d+)[-.].*")


def is_metadata_file(path: Path) -> bool:
    """Return whether a path is a metadata file of an Iceberg table."""
    return (
        path.parent.name == "metadata" and METADATA_FILE.fullmatch(path.name) is not None and path.is_file()
    )


def open_iceberg(path: Path) -> StoredTable:
    """Open the newest version of an Iceberg table, or the version that a metadata file describes.

    Raises
    ------
    ChronosketchError
        If pyiceberg is missing or cannot read the table, or if the newest metadata file is not certain.
    """
    folder, metadata = (path.parent.parent, path) if is_metadata_file(path) else (path, newest_metadata(path))
    try:
        from pyiceberg.table import StaticTable
    except ModuleNotFoundError as missing:
        raise ChronosketchError(
            f"{folder} is an Iceberg table, and reading it needs {missing.name}: {INSTALL}."
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = StaticTable.from_metadata(str(metadata))
            schema = table.schema().as_arrow()
    except Exception as reason:
        raise ChronosketchError(f"{metadata} cannot be read by pyiceberg: {first_line(reason)}") from None
    if urlsplit(table.location()).scheme not in ("", "file"):
        raise ChronosketchError(
            f"{folder} is an Iceberg table whose files are at {table.location()}, not on this machine: "
            "load it from its catalogue with pyiceberg, and ask its columns with chronosketch.arrow."
        )

    def read(names: Sequence[str]) -> Table:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return in_order(plain(table.scan(selected_fields=tuple(names)).to_arrow().select(names)))
        except Exception as reason:
            raise ChronosketchError(
                f"{folder} is an Iceberg table that pyiceberg cannot read; ask it in Spark. It said: "
                f"{first_line(reason)}"
            ) from None

    note = "" if path == metadata else f"Read by {metadata.name}, the newest metadata in the folder."
    return StoredTable(str(folder), schema, read, note)


def newest_metadata(folder: Path) -> Path:
    """Return the newest metadata file of a table.

    A Hadoop catalogue writes ``version-hint.text``. The newest version is the one in it, or a later one that
    follows without a gap. Other catalogues store the file's name elsewhere, so the highest number is taken.

    Raises
    ------
    ChronosketchError
        If the hinted file is missing, or several files or none could be the newest.
    """
    files = metadata_files(folder)
    hint = folder / "metadata" / "version-hint.text"
    if hint.is_file():
        text = hint.read_bytes().decode("utf-8", "replace").strip()
        found = _hinted(files, text)
        if found is None:
            raise ChronosketchError(f"{hint} names version {text!r}, whose file is missing in {hint.parent}.")
        return found
    numbers = {file: int(match[1]) for file in files if (match := _NUMBER.fullmatch(file.name))}
    newest = [file for file, number in numbers.items() if number == max(numbers.values())]
    if not numbers and len(files) == 1:
        newest = files
    if len(newest) != 1:
        names = " and ".join(file.name for file in newest or files)
        raise ChronosketchError(
            f"{folder} is an Iceberg table, and any of {names} could be its newest metadata: "
            f"look up the right one in its catalogue, and ask that file in {folder / 'metadata'}."
        )
    return newest[0]


def _hinted(files: Sequence[Path], hint: str) -> Path | None:
    names = {file.name: file for file in files}
    if not hint.isdecimal():
        return names.get(hint) or names.get(f"{hint}.metadata.json")
    found, number = None, int(hint)
    while True:
        spellings = [f"v{number}{ending}" for ending in (".metadata.json", ".gz.metadata.json")]
        here = next((names[spelling] for spelling in spellings if spelling in names), None)
        if here is None:
            return found
        found, number = here, number + 1
