"""Detect the format of a source table: Delta, Iceberg, another format, or missing."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from chronosketch.errors import HistoryError
from chronosketch.history.sources.delta import DeltaTable
from chronosketch.history.sources.iceberg import IcebergTable
from chronosketch.history.sources.read_errors import is_missing_error, muted_error_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from chronosketch.history.sources.source import ChangeSource, LastVersion

# One part of a table name, with its backticks if it has any.
_PART = re.compile(r"`(?:[^`]|``)+`|[^.`\s]+")


def source_of(spark: SparkSession, table: str, last: LastVersion | None) -> ChangeSource:
    """Return a table as a source of changes.

    Raises
    ------
    HistoryError
        If the table does not exist, or is neither a Delta nor an Iceberg table.
    """
    try:
        spark.table(table).schema  # noqa: B018
    except AnalysisException as error:
        if not is_missing_error(error):
            raise
        raise HistoryError("SOURCE_NOT_FOUND", _not_found(spark, table)) from error
    found = _described(spark, table)
    provider = found.get("Provider", "").lower()
    if provider == "iceberg":
        return IcebergTable(spark, table, last, _name(found, table))
    is_view = not found or found.get("Type", "").upper() == "VIEW"
    if provider in ("", "delta") and not is_view:  # some catalogs do not report a provider
        return DeltaTable(spark, table, last, _name(found, table))
    what = "is a view" if is_view else f"is a table of format {provider}"
    raise HistoryError(
        "SOURCE_NOT_VERSIONED",
        f"{table} {what}, which has no versions to follow. Name a Delta table or an Iceberg table as source.",
    )


def location_of(spark: SparkSession, table: str) -> str:
    """Return the location of a table's files."""
    return _described(spark, table)["Location"]


def schema_of(table: str) -> str:
    """Return the quoted schema of a table name; empty if it has none, or names a path.

    Examples
    --------
    >>> schema_of("lake.`my sales`.orders"), schema_of("orders"), schema_of("delta.`/orders`")
    ('lake.`my sales`', '', '')
    """
    *schema, last = _PART.findall(table)
    named_path = len(schema) == 1 and schema[0].lower() == "delta" and last.startswith("`")
    return "" if named_path else ".".join(schema)


def _described(spark: SparkSession, table: str) -> dict[str, str]:
    """Return the table-level rows of DESCRIBE. Column rows are left out, as columns may have any name."""
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    names = [row.col_name for row in rows]
    if "# Detailed Table Information" not in names:  # a temporary view
        return {}
    return {row.col_name: row.data_type for row in rows[names.index("# Detailed Table Information") :]}


def _name(found: dict[str, str], table: str) -> str:
    """Return the table's full name, which does not depend on the session's current schema."""
    parts = [found.get(part, "") for part in ("Catalog", "Database", "Table")]
    return ".".join(parts) if all(parts) else found.get("Name") or table


def _not_found(spark: SparkSession, table: str) -> str:
    schema = schema_of(table)
    if not schema and "." in table:
        return f"There is no Delta table at {table}. Check the path that source names."
    catalog = spark.catalog
    place = schema or f"{catalog.currentCatalog()}.{catalog.currentDatabase()}"
    name = _PART.findall(table)[-1].strip("`")
    near = get_close_matches(name.lower(), _tables(spark, schema), n=3)
    similar = f" Similar names there: {', '.join(near)}." if near else ""
    return f"There is no table {name} in {place}. Check the name that source has: {table}.{similar}"


def _tables(spark: SparkSession, schema: str) -> list[str]:
    """Return the table names of a schema; empty if it does not exist or cannot be listed."""
    try:
        with muted_error_log():
            rows = spark.sql(f"SHOW TABLES IN {schema}" if schema else "SHOW TABLES").collect()
    except Exception:  # the names are only a hint
        return []
    return [row.tableName for row in rows if not row.isTemporary]
