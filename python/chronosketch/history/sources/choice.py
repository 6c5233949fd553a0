"""Finds out what a table is: one of Delta's or of Iceberg's, something else, or nothing."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from chronosketch.errors import HistoryError
from chronosketch.history.refusals import expecting_refusals, says_missing
from chronosketch.history.sources.delta import DeltaTable
from chronosketch.history.sources.iceberg import IcebergTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from chronosketch.history.sources.source import ChangeSource, Taken

# A part of a name, with the backticks that it may have.
_PART = re.compile(r"`(?:[^`]|``)+`|[^.`\s]+")


def source_of(spark: SparkSession, table: str, taken: Taken | None) -> ChangeSource:
    """Return a table as a source of changes.

    Raises
    ------
    HistoryError
        If there is no such table, or it is neither Delta's nor Iceberg's.
    """
    try:
        spark.table(table).schema  # noqa: B018
    except AnalysisException as error:
        if not says_missing(error):
            raise
        raise HistoryError("SOURCE_NOT_FOUND", _not_found(spark, table)) from error
    found = _described(spark, table)
    provider = found.get("Provider", "").lower()
    if provider == "iceberg":
        return IcebergTable(spark, table, taken, _name(found, table))
    is_view = not found or found.get("Type", "").upper() == "VIEW"
    if provider in ("", "delta") and not is_view:  # some catalogs do not tell a provider
        return DeltaTable(spark, table, taken, _name(found, table))
    what = "is a view" if is_view else f"is a table of format {provider}"
    raise HistoryError(
        "SOURCE_NOT_VERSIONED",
        f"{table} {what}, which has no versions to follow. Name a Delta table or an Iceberg table as source.",
    )


def place_of(spark: SparkSession, table: str) -> str:
    """Return where a table's files are."""
    return _described(spark, table)["Location"]


def schema_of(table: str) -> str:
    """Return the schema in a table's name as SQL writes it; empty if there is none, or if a path is named.

    Examples
    --------
    >>> schema_of("lake.`my sales`.orders"), schema_of("orders"), schema_of("delta.`/orders`")
    ('lake.`my sales`', '', '')
    """
    *schema, last = _PART.findall(table)
    named_path = len(schema) == 1 and schema[0].lower() == "delta" and last.startswith("`")
    return "" if named_path else ".".join(schema)


def _described(spark: SparkSession, table: str) -> dict[str, str]:
    """Return what DESCRIBE says of the table as a whole, without its columns: they may have any name."""
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    names = [row.col_name for row in rows]
    if "# Detailed Table Information" not in names:  # a temporary view
        return {}
    return {row.col_name: row.data_type for row in rows[names.index("# Detailed Table Information") :]}


def _name(found: dict[str, str], table: str) -> str:
    """Return the table's full name, which does not depend on the session's schema."""
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
    """Return the names of the tables of a schema; none if it does not exist or cannot be listed."""
    try:
        with expecting_refusals():
            rows = spark.sql(f"SHOW TABLES IN {schema}" if schema else "SHOW TABLES").collect()
    except Exception:  # only a hint is lost
        return []
    return [row.tableName for row in rows if not row.isTemporary]
