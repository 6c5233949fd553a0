"""Read a Delta table through its log, with the library deltalake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from chronosketch.errors import ChronosketchError
from chronosketch.storage.formats import StoredTable, first_line
from chronosketch.storage.parquet import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

INSTALL = "pip install 'deltalake>=1.6'"


def open_delta(folder: Path) -> StoredTable:
    """Open the newest version of a Delta table.

    Rows are read with deltalake's query engine, which supports deletion vectors and mapped columns.
    ``to_pyarrow_table`` refuses the former, and reads the latter as NULL in tables of reader version 2.

    Raises
    ------
    ChronosketchError
        If deltalake is missing or too old, or cannot read the table.
    """
    try:
        from deltalake import DeltaTable, QueryBuilder, __version__
    except ModuleNotFoundError as missing:
        raise ChronosketchError(
            f"{folder} is a Delta table, and reading it needs {missing.name}: {INSTALL}."
        ) from None
    if tuple(map(int, __version__.split(".")[:2])) < (1, 6):
        raise ChronosketchError(
            f"{folder} is a Delta table, and deltalake {__version__} is too old for it: {INSTALL}."
        )
    if "%" in str(folder.absolute()):
        raise ChronosketchError(
            f"{folder} is a Delta table, and deltalake would read another path than one with %: rename it."
        )
    try:
        table = DeltaTable(folder)
        schema = pa.schema(table.schema().to_arrow())
    except BaseException as reason:
        raise _read_error(folder, reason) from None

    def read(names: Sequence[str]) -> pa.Table:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        try:
            rows = QueryBuilder().register("t", table).execute(f"SELECT {columns} FROM t")
            found = plain(pa.table(rows.read_all()))
        except BaseException as reason:
            raise _read_error(folder, reason) from None
        return in_order(found)

    return StoredTable(str(folder), schema, read)


def in_order(table: pa.Table) -> pa.Table:
    """Sort rows by all columns, so that answers do not depend on the order of parallel readers."""
    names = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    return table.sort_by([(name, "ascending") for name in names])


def _read_error(folder: Path, reason: BaseException) -> BaseException:
    """Return the error to raise. A panic in the library's Rust code is not an Exception."""
    if not isinstance(reason, Exception) and type(reason).__name__ != "PanicException":
        return reason
    return ChronosketchError(
        f"{folder} is a Delta table that deltalake cannot read; ask it in Spark. "
        f"It said: {first_line(reason)}"
    )
