"""Read plain Parquet: a file, a folder as Spark writes it, or the output of a Spark stream."""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import parquet as pq

from chronosketch.errors import ChronosketchError
from chronosketch.storage.formats import PartOfTableError, StoredTable, an, first_line, format_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def open_parquet(path: Path) -> StoredTable:
    """Open a Parquet file or a folder of them.

    Folders named ``key=value`` become columns. Names that begin with ``.`` or ``_`` are skipped, as Spark
    does.

    Raises
    ------
    ChronosketchError
        If there is no file, a file cannot be read, or the files differ in their folders or columns.
    """
    if path.is_file():
        return _opened(path, path.parent, [path])
    if not path.is_dir():
        raise ChronosketchError(
            f"{path} is neither a file nor a folder: name a Parquet file, or a folder of them."
        )
    with readable(path):
        files = sorted(_listed(path, path, ()))
    if not files:
        raise ChronosketchError(
            f"{path} has no Parquet file in it: name a Parquet file, or a folder of them."
        )
    return _opened(path, path, files)


def open_sink(folder: Path) -> StoredTable:
    """Open the output of a Spark stream by its log of batches. Other files come from a failed batch."""
    with readable(folder):
        files = _committed(folder)
    if not files:
        raise ChronosketchError(f"{folder} has no Parquet file yet: its stream has written none.")
    return _opened(folder, folder, files)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn any error of a reader into one line that names the file or folder."""
    try:
        yield
    except ChronosketchError:
        raise
    except FileNotFoundError as reason:
        name = reason.filename or path
        raise ChronosketchError(f"{name} does not exist: name a Parquet file, or a folder of them.") from None
    except PermissionError as reason:
        raise ChronosketchError(f"{reason.filename or path} cannot be read: {first_line(reason)}.") from None
    except Exception as reason:  # a broken file can make pyarrow raise anything
        raise ChronosketchError(f"{path} is no Parquet that can be read: {first_line(reason)}") from None


def _listed(top: Path, folder: Path, above: Sequence[Path]) -> Iterator[Path]:
    real = folder.resolve()
    if real in above:
        raise ChronosketchError(f"{folder} is a link to a folder around it: remove the link.")
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name, path = entry.name, Path(entry.path)
        if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
            continue
        places = [path, *path.resolve().parents] if entry.is_symlink() else [path] if entry.is_dir() else []
        for place in places:
            form = format_of(place)
            if form:
                raise PartOfTableError(
                    f"{top} is no table: it has {an(form)} in it, {place}. Read one table at a time.", place
                )
        if entry.is_dir():
            yield from _listed(top, path, (*above, real))
        else:
            yield path


def _committed(folder: Path) -> list[Path]:
    """Return the files of all batches in the log. A compacted batch lists those of all batches before it."""
    log = folder / "_spark_metadata"
    names = [file.name for file in log.iterdir() if re.fullmatch(r"\d+(\.compact)?", file.name)]
    batches = {int(name.partition(".")[0]): name for name in sorted(names)}
    first = max((number for number, name in batches.items() if name.endswith(".compact")), default=0)
    files: list[Path] = []
    for number in range(first, max(batches, default=-1) + 1):
        if number not in batches:
            raise ChronosketchError(f"{log} has no batch {number}: without it, files would be missed.")
        version, *lines = (log / batches[number]).read_text("utf-8").splitlines()
        if version != "v1":
            raise ChronosketchError(f"{log / batches[number]} has version {version!r}: only v1 can be read.")
        for entry in map(json.loads, lines):
            file = Path(unquote(urlsplit(entry["path"]).path))
            if entry.get("action", "add") != "add":
                raise ChronosketchError(f"{log} has the action {entry['action']!r}: only 'add' can be read.")
            if not file.resolve().is_relative_to(folder.resolve()):
                raise ChronosketchError(
                    f"{log} names {file}, which is not in {folder}: was the folder moved?"
                )
            files.append(folder / file.resolve().relative_to(folder.resolve()))
    return files


def _opened(path: Path, top: Path, files: Sequence[Path]) -> StoredTable:
    folders = {file: file.relative_to(top).parent.parts for file in files}
    first = files[0]
    for file in files:
        if _keys(folders[file]) != _keys(folders[first]):
            raise ChronosketchError(
                f"{path} has files in folders of different kinds, as {first.relative_to(top)} and "
                f"{file.relative_to(top)}: name a folder whose files are one table."
            )
    keys = [key for key in _keys(folders[first]) if key]
    values = {file: [_value(part) for part in folders[file] if "=" in part] for file in files}
    types = [_type([values[file][i] for file in files]) for i in range(len(keys))]
    schemas = {}
    for file in files:
        with readable(file):
            if file.exists() and not file.is_file():
                raise ChronosketchError(f"{file} is neither a file nor a folder: remove it.")
            schemas[file] = pq.read_schema(file)
    fields = [field for field in schemas[first] if field.name not in keys]
    schema = pa.schema([*fields, *map(pa.field, keys, types)])

    def read(names: Sequence[str]) -> pa.Table:
        stored = [name for name in names if name not in keys]
        for file in files:
            for name in stored:
                _check(path, first, file, name, schemas)
        parts = []
        for file in files:
            with readable(file):
                part = plain(pq.ParquetFile(file).read(columns=stored).select(stored))
            for key, kind, value in zip(keys, types, values[file], strict=True):
                if key in names:
                    cell = int(value) if value is not None and kind == pa.int64() else value
                    part = part.append_column(key, pa.array([cell] * len(part), kind))
            parts.append(part.select(names))
        with readable(path):
            return pa.concat_tables(parts, promote_options="permissive")

    return StoredTable(str(path), schema, read)


def _check(path: Path, first: Path, file: Path, name: str, schemas: dict[Path, Any]) -> None:
    """Raise an error if a file lacks a column, or its type cannot be unified with the first file's."""
    if name not in schemas[file].names:
        raise ChronosketchError(
            f"{path} has files of several schemas: {file} has no column {name!r}, and {first} has one. "
            "Ask files of one schema."
        )
    if schemas[file].names.count(name) > 1:
        raise ChronosketchError(f"{file} has several columns {name!r}: rename all but one.")
    kinds = [pa.schema([(name, _plain_type(schemas[one].field(name).type))]) for one in (first, file)]
    try:
        pa.unify_schemas(kinds, promote_options="permissive")
    except pa.ArrowException:
        raise ChronosketchError(
            f"{path} has files of several schemas: column {name!r} is {kinds[0].types[0]} in {first} and "
            f"{kinds[1].types[0]} in {file}. Ask files of one schema."
        ) from None


def plain(table: pa.Table) -> pa.Table:
    """Return a table without dictionary and view types, which some functions of Arrow do not support."""
    for i, field in enumerate(table.schema):
        kind = _plain_type(field.type)
        if kind != field.type:
            table = table.set_column(i, field.name, table.column(i).cast(kind))
    return table


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if kind == pa.binary_view() or pa.types.is_binary(kind):
        return pa.large_binary()
    if kind == pa.string_view() or pa.types.is_string(kind):
        return pa.large_string()
    return kind


def _keys(folders: Sequence[str]) -> list[str]:
    """Return the partition column of each folder, or "" for a folder without one."""
    return [unquote(folder.partition("=")[0]) if "=" in folder else "" for folder in folders]


def _value(folder: str) -> str | None:
    text = folder.partition("=")[2]
    return None if text == _NO_VALUE else unquote(text)


def _type(values: Sequence[str | None]) -> pa.DataType:
    present = [value for value in values if value is not None]
    whole = present and all(re.fullmatch(r"-?\d{1,18}", value, re.ASCII) for value in present)
    return pa.int64() if whole else pa.string()
