"""Measures all approaches at the workloads of Tables 5.3 and 5.4 of the thesis, at its rate and at 100 000 rows/s."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import chronosketch as cs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chronosketch.advisor.advice import Choice
    from chronosketch.advisor.calibration.measurements import Cell

DELTA = 1e-4
EPSILONS = (0.05, 0.01)
# (R, S) in minutes.
WORKLOADS = tuple((r, s) for r in (1, 15, 60) for s in (1, 15, 30) if s <= r)
RATES = {320: WORKLOADS, 100_000: ((1, 1), (15, 1), (60, 1))}
KNOWN = {
    "variance": {"expiration_list", "panes", "variance_histogram", "two_stack"},
    "quantile": {
        "expiration_list",
        "block_sort",
        "cmqs",
        "arasu_manku",
        "arasu_manku_variable",
        "bernoulli",
        "priority",
        "bounded_priority",
        "biased_reservoir",
    },
}
# Limits: approaches that process a dozen frames at once need memory, and slow ones take too long to fill a frame.
_WHOLE = {"block_sort", "two_stack"}
_MOST_WHOLE, _MOST_FILLING = 20_000_000, 60e9


def thesis(
    measure: Callable[[list[tuple[str, str, int, int, float]], float, int], list[Cell]], seconds: float
) -> dict[str, Any]:
    """Measure each approach at each workload, with the prediction of the shipped model."""
    rows: list[dict[str, Any]] = []
    skipped: list[str] = []
    for rate, workloads in RATES.items():
        for aggregate in ("variance", "quantile"):
            for r, s in workloads:
                # A window at the larger rate takes minutes to fill, so only one ε is measured.
                for epsilon in EPSILONS if rate == min(RATES) else EPSILONS[:1]:
                    found, left = _of(measure, seconds, rate, aggregate, r, s, epsilon)
                    rows += found
                    skipped += left
                print(f"{rate} rows/s: {aggregate}, {r} min by {s} min", file=sys.stderr)
    return {"rows": rows, "skipped": sorted(set(skipped))}


def _of(
    measure: Callable[[list[tuple[str, str, int, int, float]], float, int], list[Cell]],
    seconds: float,
    rate: int,
    aggregate: str,
    r: int,
    s: int,
    epsilon: float,
) -> tuple[list[dict[str, Any]], list[str]]:
    retention, slide = r * 60 * rate, s * 60 * rate
    advice = cs.advise(
        aggregate=aggregate, retention_rows=retention, slide_rows=slide, epsilon=epsilon, delta=DELTA
    )
    choices = {c.approach: c for c in advice if c.approach in KNOWN[aggregate]}
    # Exact approaches have no ε, so they are measured once.
    wanted = [name for name, c in choices.items() if c.promise != "exact" or epsilon == EPSILONS[0]]
    feasible = [name for name in wanted if _is_feasible(name, choices[name], retention, slide)]
    cells = measure([(aggregate, name, retention, slide, epsilon) for name in feasible], seconds, 1)
    rows = [
        {
            "rate": rate,
            "aggregate": aggregate,
            "retention": r,
            "slide": s,
            "epsilon": 0.0 if choices[cell.approach].promise == "exact" else epsilon,
            "approach": cell.approach,
            "ns": float(cell.cost("time")),
            "update": cell.update,
            "query": cell.query,
            "predicted": _value(choices[cell.approach].time),
            "bytes": cell.cost("bytes"),
            "predicted_bytes": _value(choices[cell.approach].bytes),
            "error": cell.error,
        }
        for cell in cells
    ]
    return rows, [f"{name} of {retention:,} rows" for name in wanted if name not in feasible]


def _value(prediction: Any) -> float | None:
    return None if prediction is None else float(prediction.value)


def _is_feasible(name: str, choice: Choice, retention: int, slide: int) -> bool:
    if name in _WHOLE:
        return retention <= _MOST_WHOLE
    filling = _value(choice.time)
    return filling is None or filling / slide * retention <= _MOST_FILLING


def tables(part: dict[str, Any]) -> list[str]:
    """Write processing time, memory and accuracy, like Tables 6.1 to 6.21."""
    lines = [
        "## The workloads of Tables 5.3 and 5.4",
        "",
        f"ε = {EPSILONS[0]} and {EPSILONS[1]}, δ = {DELTA:g}; R and S in minutes. Time is CPU of a slide, measured and predicted by "
        "the model that was shipped when they were measured. Its grid ends at 302 400 rows. The error is the largest that was seen: of ranks "
        "for quantiles, relative for variances.",
        "",
    ]
    for rate in RATES:
        for aggregate in ("variance", "quantile"):
            some = [row for row in part["rows"] if (row["rate"], row["aggregate"]) == (rate, aggregate)]
            if not some:
                continue
            lines += [
                f"### {aggregate}, {rate:,} rows a second".replace(",", " ").replace("  ", ", "),
                "",
                "| R | S | ε | approach | ms a slide | predicted | ns an update | ms a query | MB | predicted | error |",
                "|---|---|---|---|---|---|---|---|---|---|---|",
                *(_line(row) for row in some),
                "",
            ]
    if part.get("skipped"):
        lines += [f"Not run, for time or memory: {'; '.join(part['skipped'])}.", ""]
    return lines


def _line(row: dict[str, Any]) -> str:
    def scaled(value: float | None, unit: float) -> str:
        return "" if value is None else f"{value / unit:.3g}"

    cells: Sequence[str] = (
        str(row["retention"]),
        str(row["slide"]),
        f"{row['epsilon']:g}",
        row["approach"],
        scaled(row["ns"], 1e6),
        scaled(row["predicted"], 1e6),
        scaled(row["update"], 1),
        scaled(row["query"], 1e6),
        scaled(row["bytes"], 1e6),
        scaled(row["predicted_bytes"], 1e6),
        "" if row["error"] is None else f"{row['error']:.2g}",
    )
    return f"| {' | '.join(cells)} |"
