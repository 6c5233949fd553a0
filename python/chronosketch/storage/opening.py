"""Open a path: Parquet files, or a table through its own log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.errors import ChronosketchError
from chronosketch.installed import pip_install
from chronosketch.storage.formats import (
    DELTA,
    ICEBERG,
    SINK,
    StoredTable,
    format_of,
    refuse_format,
    refuse_part_of_table,
)

if TYPE_CHECKING:
    from pathlib import Path


def open_table(path: Path) -> StoredTable:
    """Open a Parquet file, a folder of them, a Delta table, an Iceberg table or the output of a stream.

    Raises
    ------
    ChronosketchError
        If the path is missing or is a part of a table, if a library is missing, or if nothing can be read.
    """
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as missing:
        raise ChronosketchError(
            f"Reading Parquet files needs {missing.name}: {pip_install('arrow', 'pyarrow')}"
        ) from None
    from chronosketch.storage.iceberg import is_metadata_file, open_iceberg
    from chronosketch.storage.parquet import open_parquet, open_sink, readable

    with readable(path):
        if not path.exists():
            raise ChronosketchError(
                f"{path} does not exist: name a Parquet file, or a folder of them, on this machine."
            )
        if is_metadata_file(path):
            return open_iceberg(path)
        refuse_part_of_table(path)
        form = format_of(path) if path.is_dir() else None
        if form == DELTA:
            from chronosketch.storage.delta import open_delta

            return open_delta(path)
        if form == ICEBERG:
            return open_iceberg(path)
        if form == SINK:
            return open_sink(path)
        if form:
            refuse_format(path, form)
        return open_parquet(path)
