"""Measurements, as JSON lines that the calibrating JVM prints."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from chronosketch.advisor.approaches import PROMISES
from chronosketch.advisor.workloads import FACTORS, Workload
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_POSITIVE = ("retention", "slide")
_COSTS = ("update_ns", "query_ns", "bytes")


@dataclass(frozen=True)
class Cell:
    """An approach at a workload: CPU nanoseconds of an element and of an answer, bytes, largest error."""

    aggregate: str
    approach: str
    workload: Workload
    update: float
    query: float
    bytes: float
    error: float | None = None
    repeats: int = 1
    place: str = "core"
    promise: str | None = None

    def cost(self, response: str) -> float:
        """Return a cost by name. "time" is the time of a slide: S updates and one answer.

        Examples
        --------
        >>> Cell("variance", "panes", Workload(19_200, 320), 12.5, 1000.0, 4096.0).cost("time")
        5000.0
        """
        if response == "time":
            return self.workload.slide * self.update + self.query
        return {"update": self.update, "query": self.query}.get(response, self.bytes)


@dataclass(frozen=True)
class Measurements:
    """All cells of a calibration in measuring order, and the machine."""

    cells: Sequence[Cell]
    machine: Mapping[str, Any] = field(default_factory=dict)

    def groups(self) -> dict[tuple[str, str], list[Cell]]:
        """Group cells by aggregate and approach, in measuring order."""
        found: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells:
            found.setdefault((cell.aggregate, cell.approach), []).append(cell)
        return dict(sorted(found.items()))

    def grid(self) -> dict[str, Any]:
        """Return the measured values of each factor, and the number of cells."""
        values = {name: sorted({cell.workload.factor(name) for cell in self.cells}) for name in FACTORS}
        return {**values, "cells": len(self.cells)}


def read_line(line: str, where: str) -> dict[str, Any]:
    """Read one line as a JSON object with a kind.

    Raises
    ------
    ChronosketchError
        If the line is not one.

    Examples
    --------
    >>> read_line('{"kind": "progress", "done": 3}', "line 7 of m.jsonl")["done"]
    3
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        raise ChronosketchError(
            f"{where} is no JSON: {_short(line)}. Measure again. If only the line's end was cut off, delete "
            "the line."
        ) from None
    if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
        raise ChronosketchError(
            f"{where} has no kind: {_short(line)}. Each line must be an object with a kind. Measure again."
        )
    return content


def read_measurements(lines: Iterable[str], source: str) -> Measurements:
    """Read the measurements of a calibration. Progress lines are skipped.

    Parameters
    ----------
    lines : iterable of str
        JSON lines. Blank lines are skipped.
    source : str
        The source of the lines, for messages.

    Raises
    ------
    ChronosketchError
        If a line is not valid, or there is no cell.
    """
    machine: dict[str, Any] = {}
    cells: list[Cell] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"Line {number} of {source}"
        content = read_line(line, where)
        kind = content["kind"]
        if kind == "machine":
            machine = {name: value for name, value in content.items() if name != "kind"}
        elif kind == "cell":
            cells.append(_cell(content, where))
        elif kind != "progress":
            raise ChronosketchError(
                f"{where} is of kind {kind!r}: this version reads machine, progress and cell. "
                "Measure with the jar of this version."
            )
    if not cells:
        raise ChronosketchError(f"{source} holds no cell. Measure with `chronosketch calibrate`.")
    return Measurements(cells, machine)


def _cell(content: Mapping[str, Any], where: str) -> Cell:
    for name in ("aggregate", "approach", *_POSITIVE, *_COSTS):
        if name not in content:
            raise ChronosketchError(f"{where} is a cell without {name!r}. Measure again.")
    for name in ("aggregate", "approach"):
        if not isinstance(content[name], str) or not content[name]:
            raise ChronosketchError(f"{where} has the {name} {content[name]!r}: it must be a name.")
    given = {name: _number(content, name, where) for name in (*_POSITIVE, *_COSTS)}
    for name in _POSITIVE:
        if given[name] < 1:
            raise ChronosketchError(
                f"{where} has the {name} {content[name]!r}: it must be a number of rows, 1 or more."
            )
    for name in _COSTS:
        if given[name] < 0:
            raise ChronosketchError(f"{where} has the {name} {content[name]!r}: a cost must not be below 0.")
    if given["update_ns"] * given["slide"] + given["query_ns"] <= 0 or given["bytes"] <= 0:
        raise ChronosketchError(
            f"{where} has {content['update_ns']} ns an element, {content['query_ns']} ns an answer and "
            f"{content['bytes']} bytes: a slide that costs nothing was not measured. Measure again."
        )
    if content.get("promise") not in (None, *PROMISES):
        raise ChronosketchError(
            f"{where} has the promise {content['promise']!r}: give one of {', '.join(PROMISES)}, or none."
        )
    shares = {name: _optional(content, name, where) or 0.0 for name in ("epsilon", "delta")}
    for name, share in shares.items():
        if not 0 <= share < 1:
            raise ChronosketchError(f"{where} has the {name} {share!r}: it must be 0 or more, and below 1.")
    return Cell(
        content["aggregate"],
        content["approach"],
        Workload(given["retention"], given["slide"], shares["epsilon"], shares["delta"]),
        given["update_ns"],
        given["query_ns"],
        given["bytes"],
        _optional(content, "error", where),
        int(_optional(content, "repeats", where) or 1),
        str(content.get("place", "core")),
        content.get("promise"),
    )


def _optional(content: Mapping[str, Any], name: str, where: str) -> float | None:
    return None if content.get(name) is None else _number(content, name, where)


def _number(content: Mapping[str, Any], name: str, where: str) -> float:
    value = content[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ChronosketchError(f"{where} has the {name} {value!r}: it must be a finite number.")
    return float(value)


def _short(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 80 else text[:80] + "…")
