"""Write the answers of ``chronosketch ask`` as a table, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any

from rich import box
from rich.markup import escape
from rich.table import Table

from chronosketch.console import as_text, out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronosketch.sketch import Sketch


class Format(str, Enum):
    """The forms that ``chronosketch ask`` writes."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True)
class GroupAnswer:
    """The answers for one group: its count, and the value and the bounds of each quantile."""

    group: tuple[Any, ...]
    count: int | None
    quantiles: Sequence[tuple[Any, Any, Any]]


def answers(groups: Mapping[tuple[Any, ...], Sketch | None], phis: Sequence[float]) -> list[GroupAnswer]:
    """Ask the sketch of each group. A group without a sketch has NULL for every answer, as in SQL."""
    found = []
    for group, sketch in groups.items():
        if sketch is None:
            found.append(GroupAnswer(group, None, [(None, None, None)] * len(phis)))
        else:
            bounds = [sketch.bounds(phi) or (None, None) for phi in phis]
            values = [(sketch.quantile(phi), *ends) for phi, ends in zip(phis, bounds, strict=True)]
            found.append(GroupAnswer(group, sketch.count, values))
    return found


def phi_text(phi: float) -> str:
    """Write φ with all its digits, so that no two have one title.

    Examples
    --------
    >>> from chronosketch.ask_output import phi_text
    >>> phi_text(0.9999999), phi_text(1.0)
    ('0.9999999', '1')
    """
    return repr(phi).removesuffix(".0")


def write(rows: Sequence[GroupAnswer], by: Sequence[str], phis: Sequence[float], form: Format) -> None:
    """Print the answers on standard output."""
    titles = [
        *by,
        "count",
        *(f"{phi_text(phi)} {part}".strip() for phi in phis for part in ("", "from", "to")),
    ]
    cells = [[*row.group, row.count, *(cell for three in row.quantiles for cell in three)] for row in rows]
    if form == Format.TABLE:
        table = Table(*map(escape, titles), box=box.SIMPLE_HEAD)
        for row in cells:
            table.add_row(*(escape(as_text(cell)) for cell in row))
        out.print(table)
    elif form == Format.CSV:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([titles, *([_csv_cell(cell) for cell in row] for row in cells)])
        print(text.getvalue(), end="")
    else:
        print(json.dumps([_json_row(row, by, phis) for row in rows], indent=2, ensure_ascii=False))


def _json_row(row: GroupAnswer, by: Sequence[str], phis: Sequence[float]) -> dict[str, Any]:
    quantiles = [
        dict(zip(("phi", "value", "low", "high"), map(_json_value, (phi, *three)), strict=True))
        for phi, three in zip(phis, row.quantiles, strict=True)
    ]
    group = dict(zip(by, map(_json_value, row.group), strict=True))
    return {"group": group, "count": row.count, "quantiles": quantiles}


def _csv_cell(value: Any) -> str:
    """Write a value for a program: NULL as an empty cell, and bytes whole."""
    value = _json_value(value)
    return "" if value is None else as_text(value)


def _json_value(value: Any) -> Any:
    """Return a value of JSON: text for what JSON has no type for, in the spelling of SQL."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date | time):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return as_text(value)
