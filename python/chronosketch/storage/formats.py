"""Detect the format of a table's folder, so that its files are never read without its log."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyarrow import Schema, Table

DELTA = "Delta table"
ICEBERG = "Iceberg table"
HUDI = "Hudi table"
SINK = "output of a Spark stream"
WAREHOUSE = "chronosketch warehouse"

METADATA_FILE = re.compile(r".+\.metadata\.json(\.gz)?")

_MARKERS = {"_delta_log": DELTA, ".hoodie": HUDI, "_spark_metadata": SINK}


@dataclass(frozen=True)
class StoredTable:
    """A table that can be read a few columns at a time.

    Attributes
    ----------
    name : str
        The table's name in messages.
    schema : pyarrow.Schema
        All columns, including partition columns.
    read : callable
        Returns the named columns as a ``pyarrow.Table``.
    note : str
        A remark on which version was read; usually empty.
    """

    name: str
    schema: Schema
    read: Callable[[Sequence[str]], Table]
    note: str = ""


class PartOfTableError(ChronosketchError):
    """A path is only a part of a table, or has tables in it. `table` is the folder to read instead.

    Examples
    --------
    >>> PartOfTableError("/t/day=1 is inside of a Delta table.", Path("/t"), ["day"]).command(["-c", "s"])
    'chronosketch ask /t -c s --by day'
    """

    def __init__(self, message: str, table: Path, partitions: Sequence[str] = ()) -> None:
        self.table = table
        self.partitions = partitions
        super().__init__(message)

    def command(self, options: Sequence[Any], by: Sequence[str] = ()) -> str:
        """Return the command that asks the whole table, with a group for each value of the partition."""
        groups = [text for name in (*by, *self.partitions) for text in ("--by", name)]
        return shlex.join(["chronosketch", "ask", str(self.table), *map(str, options), *groups])


def format_of(folder: Path) -> str | None:
    """Return the format of the table in a folder, or None if the folder is not a table's."""
    for marker, name in _MARKERS.items():
        if (folder / marker).exists():
            return name
    if metadata_files(folder):
        return ICEBERG
    if (folder / "runs").is_dir() and _is_manifest(folder / "manifest"):
        return WAREHOUSE
    return None


def _is_manifest(folder: Path) -> bool:
    """Return whether a folder holds the versions of a warehouse, as files or as a Delta table."""
    names = _names(folder)
    return "_delta_log" in names or any(re.fullmatch(r"\d{20}\.json", name) for name in names)


def _names(folder: Path) -> list[str]:
    """List a folder. Return nothing if it is missing or not readable, as folders above a path can be."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def metadata_files(folder: Path) -> list[Path]:
    """Return the metadata files of an Iceberg table, sorted by name."""
    metadata = folder / "metadata"
    return [metadata / name for name in _names(metadata) if METADATA_FILE.fullmatch(name)]


def refuse_part_of_table(path: Path) -> None:
    """Raise an error if a folder above a path is a table.

    Raises
    ------
    PartOfTableError
        The error names the table's folder.
    """
    for full_path in dict.fromkeys((path.absolute(), path.resolve())):
        for folder in full_path.parents:
            form = format_of(folder)
            if form:
                refuse_format(folder, form)
                parts = full_path.relative_to(folder).parts
                columns = [part.partition("=")[0] for part in parts if "=" in part]
                raise PartOfTableError(
                    f"{path} is inside of {an(form)}, {folder}. Its log says which files count, so only the "
                    "whole table can be read.",
                    folder,
                    columns,
                )


def refuse_format(folder: Path, form: str) -> None:
    """Raise an error if only Spark can read a format."""
    if form == HUDI:
        raise ChronosketchError(
            f"{folder} is a Hudi table, which is read here only by Spark. Write it as Parquet first: "
            f"spark.read.format('hudi').load({str(folder)!r}).write.parquet({f'{folder}-parquet'!r})"
        )
    if form == WAREHOUSE:
        quoted = str(folder).replace("\\", "\\\\").replace("'", "\\'")
        raise ChronosketchError(
            f"{folder} is a chronosketch warehouse, which answers in Spark: "
            f"SELECT * FROM warehouse_quantile('{quoted}', array(0.5))"
        )


def an(noun: str) -> str:
    """Put the article before a noun.

    Examples
    --------
    >>> an(ICEBERG), an(DELTA)
    ('an Iceberg table', 'a Delta table')
    """
    return f"an {noun}" if noun[0] in "AEIOaeio" else f"a {noun}"


def first_line(reason: BaseException) -> str:
    """Return the first line of an error's message, or the error's type if it has none.

    Examples
    --------
    >>> first_line(ValueError("a reason")), first_line(ValueError())
    ('a reason', 'ValueError')
    """
    text = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
    return (text.strip() or type(reason).__name__).splitlines()[0]
