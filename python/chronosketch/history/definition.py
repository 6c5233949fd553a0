"""The definition of a history: its value, groups, filter, epsilon, their types, and its source."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.sources.source import COPIES, VERSION

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

# Columns of a history's table. Group columns must not have these names.
RESERVED = (
    "kind",
    "from_version",
    "to_version",
    "first_ts",
    "last_ts",
    "sketch",
    "version",
    "value",
    "copies",
    "step",
)

# The format number of a history's table. It is stored with every step.
FORMAT = 1

# Delta has no columns of these types. They are stored as text, which casts back to the same value.
_STORED_AS_TEXT = ("time(", "interval")

# Delta allows none of these characters in column names.
_FORBIDDEN_CHARACTERS = set(" ,;{}()\n\t=")


class NewerFormatError(ValueError):
    """Only a newer package can read this definition. The argument is its format number."""


@dataclass(frozen=True)
class Definition:
    """The definition of a history, as stored with each step.

    Fields that begin with `by` have one entry for each group column. `source` is the full name of the
    followed table. It is not compared, because one table can have several names.
    """

    value: str
    value_type: str
    by: tuple[str, ...]
    by_types: tuple[str, ...]
    by_names: tuple[str, ...]
    where: str | None
    epsilon: float
    source: str = field(default="", compare=False)

    @staticmethod
    def resolve(
        rows: DataFrame, value: str, by: tuple[str, ...], where: str | None, epsilon: float
    ) -> Definition:
        """Resolve the expressions over these rows, and refuse names and types that a history cannot have."""
        if where is not None:
            rows = rows.where(where)
        groups = rows.selectExpr(*by).schema.fields if by else []
        names = tuple(field.name for field in groups)
        for place, name in enumerate(names):
            if name.lower() in (other.lower() for other in names[:place]):
                raise HistoryError(
                    "NAME_TAKEN",
                    f"by has two columns {name!r}. Rename one: by=['{name} AS another_{name}'].",
                )
            if name.lower() in RESERVED:
                raise HistoryError(
                    "NAME_TAKEN",
                    f"by has a column {name!r}, but the history's table has a column of that name itself. "
                    f"Rename yours: by=['{name} AS its_{name}'].",
                )
            if _FORBIDDEN_CHARACTERS & set(name):
                raise HistoryError(
                    "NAME_TAKEN",
                    f"by has a column {name!r}, but a Delta table cannot have a column of that name. "
                    "Give it a name without spaces and brackets, as in by=['upper(region) AS region'].",
                )
        rows.selectExpr(f"history_sketch_agg({value}, 0L, 1L, {float(epsilon)!r}D)").schema  # noqa: B018
        (measured,) = rows.selectExpr(f"{value} AS value").schema.fields
        return Definition(value, _type(measured), by, tuple(map(_type, groups)), names, where, epsilon)

    def to_json(self) -> str:
        """Write the definition as JSON."""
        return json.dumps(self.fields(), ensure_ascii=False)

    def fields(self) -> dict[str, Any]:
        """Return the stored fields, with the format number first."""
        return {"format": FORMAT, **asdict(self)}

    @staticmethod
    def from_json(text: str) -> Definition:
        """Read a definition from JSON."""
        return Definition.from_fields(json.loads(text))

    @staticmethod
    def from_fields(fields: dict[str, Any]) -> Definition:
        """Create a definition from its JSON fields.

        Raises
        ------
        NewerFormatError
            If a newer package has written them.

        Examples
        --------
        >>> Definition.from_fields({"format": FORMAT + 1, "meaning": "unknown"})
        Traceback (most recent call last):
        chronosketch.history.definition.NewerFormatError: 2
        """
        number = fields.get("format", FORMAT)
        if number != FORMAT:
            raise NewerFormatError(number)
        fields = {name: value for name, value in fields.items() if name != "format"}
        lists = {name: tuple(fields[name]) for name in ("by", "by_types", "by_names")}
        return Definition(**{**fields, **lists})

    @property
    def groups(self) -> tuple[str, ...]:
        """The quoted names of the group columns."""
        return tuple(f"`{name.replace('`', '``')}`" for name in self.by_names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the history's table. Those that Delta skips files by come first."""
        return (*RESERVED[:5], *self.groups, *RESERVED[5:])

    @property
    def kept_type(self) -> str:
        """The column type of values in the history's table."""
        return "string" if self.value_type.startswith(_STORED_AS_TEXT) else self.value_type

    def images(self, rows: DataFrame) -> DataFrame:
        """Evaluate each image alone: filter it, and compute its groups, its value and its sign."""
        if self.where is not None:
            rows = rows.where(self.where)
        value = F.expr(f"CAST({self.value} AS {self.kept_type})").alias("value")
        version, copies = F.col(VERSION).alias("version"), F.col(COPIES).alias("copies")
        return rows.select(*map(F.expr, self.by), version, value, copies).where("value IS NOT NULL")

    def net_changes(self, images: DataFrame) -> DataFrame:
        """Add up the copies of each value in a version. An update to the same value leaves nothing."""
        sums = images.groupBy(*self.groups, "version", "value").agg(F.sum("copies").alias("copies"))
        return sums.where("copies != 0")

    def placeholder(self) -> Column:
        """Return any value, for a change with no copies that only marks a version."""
        kind = self.value_type
        if kind.startswith("interval"):
            zero = "INTERVAL '0' MONTH" if "year" in kind or "month" in kind else "INTERVAL '0' SECOND"
        elif kind.startswith(("date", "timestamp")):
            zero = "'1970-01-01'"
        else:
            zero = "'00:00:00'" if kind.startswith("time") else "0"
        return F.expr(f"CAST(CAST({zero} AS {kind}) AS {self.kept_type})")

    def build_sketches(self, changes: DataFrame) -> DataFrame:
        """Build the history of each group from `version`, `value` and `copies`."""
        value = F.expr(f"CAST(value AS {self.value_type})")
        rows = changes.select(*self.groups, "version", value.alias("value"), "copies")
        history = F.expr(f"history_sketch_agg(value, version, copies, {float(self.epsilon)!r}D)")
        return rows.groupBy(*self.groups).agg(history.alias("sketch"))


def _type(field: StructField) -> str:
    return field.dataType.simpleString()
