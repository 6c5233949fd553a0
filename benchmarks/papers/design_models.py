"""Writes regression tables like Tables 7.1 to 7.32 and 8.1 of the thesis, from a stored calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from chronosketch.advisor.approaches import title_of
from chronosketch.advisor.calibration.checks import check_choices, residual_tests
from chronosketch.advisor.calibration.fitting import calibrate
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.terms import TERMS

if TYPE_CHECKING:
    from pathlib import Path

    from chronosketch.advisor.calibration.fitting import Fitted, Group

COMPLEXITY = {
    ("variance", "expiration_list"): ("S·O(1) + O(R)", "O(R)"),
    ("variance", "two_stack"): ("S·O(1) + O(1)", "O(R)"),
    ("variance", "panes"): ("S·O(1) + O(R/S)", "O(R/S)"),
    ("variance", "variance_histogram"): ("S·O(1) amortised + O(1)", "O(ε⁻²·log R)"),
    ("quantile", "expiration_list"): ("S·O(1) + O(R·log R)", "O(R)"),
    ("quantile", "block_sort"): ("S·O(log R)", "O(R)"),
    ("quantile", "bernoulli"): ("S·O(k/R) + O(k)", "O(k)"),
    ("quantile", "priority"): ("S·O(log k) + O(k·log R)", "O(k·log R)"),
    ("quantile", "bounded_priority"): ("S·O(log k) + O(k·log k)", "O(k)"),
    ("quantile", "biased_reservoir"): ("S·O(1) + O(k)", "O(k)"),
    ("quantile", "cmqs"): ("S·O(log 1/ε) + O(1/ε²)", "O(ε⁻²·log(ε²R))"),
    ("quantile", "arasu_manku"): ("S·O(log 1/ε·log R) + O(ε⁻¹·log² 1/ε)", "O(ε⁻¹·log² 1/ε)"),
    ("quantile", "arasu_manku_variable"): (
        "S·O(log 1/ε·log R) + O(ε⁻¹·log² 1/ε)",
        "O(ε⁻¹·log² 1/ε·log εR)",
    ),
}


def models(measurements: Path, seed: int) -> dict[str, Any]:
    """Fit stored measurements again, and collect the figures of the tables."""
    read = read_measurements(measurements.read_text("utf-8").splitlines(), measurements.name)
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)
        calibrated = calibrate(read, seed)
        checked = check_choices(calibrated)
        rows = [
            _row(group, name) for group in calibrated.groups for name in ("time", "bytes", "update", "query")
        ]
    return {
        "rows": [row for row in rows if row],
        "cells": len(read.cells),
        "left_out": calibrated.left_out,
        "checked": len(checked),
        "near": sum(one.ratio <= 1.1 for one in checked),
    }


def _row(group: Group, name: str) -> dict[str, Any] | None:
    fitted: Fitted = group.fitted[name]
    if max(cell.cost(name) for cell in group.cells) == 0:
        return None
    tests = residual_tests(fitted.fit, group.cells)
    response = fitted.fit.response
    holdout, ols = fitted.validated, fitted.holdout.get("ols")
    return {
        "aggregate": group.aggregate,
        "approach": group.approach,
        "response": name,
        "cells": len(group.cells),
        "way": fitted.fit.candidate.name,
        "form": response.form,
        "terms": list(response.terms),
        "coefficients": [float(b) for b in response.coefficients],
        "r2": fitted.training.r2,
        "rmse": fitted.training.rmse,
        "mae": fitted.training.mae,
        "off": fitted.training.median_relative,
        "holdout_off": holdout.median_relative if holdout else None,
        "holdout_r2": holdout.r2 if holdout else None,
        "holdout_covered": holdout.covered if holdout else None,
        "ols_off": ols.median_relative if ols else None,
        "breusch_pagan": tests.breusch_pagan,
        "durbin_watson": tests.durbin_watson,
        "jarque_bera": tests.jarque_bera,
    }


def table_8_1(part: dict[str, Any]) -> list[str]:
    """Write a table of the complexity and the fitted model of each approach."""
    lines = [
        "## Complexity and models (Table 8.1)",
        "",
        "R and S in rows, k = min(R, ln(1/(εδ))/ε²). Time is ns of CPU a slide. `exp(…)`: the terms add up to the logarithm of the cost.",
        "",
        "| aggregate | approach | time | its model | memory | its model, bytes |",
        "|---|---|---|---|---|---|",
    ]
    by = {(row["aggregate"], row["approach"], row["response"]): row for row in part["rows"]}
    for (aggregate, approach), (time, memory) in COMPLEXITY.items():
        found = [by.get((aggregate, approach, name)) for name in ("time", "bytes")]
        texts = ["" if row is None else formula(row) for row in found]
        lines.append(f"| {aggregate} | {title_of(approach)} | {time} | {texts[0]} | {memory} | {texts[1]} |")
    return [*lines, ""]


def formula(row: dict[str, Any]) -> str:
    """Write a fitted model as a sum."""
    parts = [
        f"{b:.3g}" if name == "one" else f"{b:.3g}·{TERMS[name].formula}"
        for name, b in zip(row["terms"], row["coefficients"], strict=True)
    ]
    total = " + ".join(parts).replace("+ -", "− ")
    return f"exp({total})" if row["form"] == "power" else total


def tables(part: dict[str, Any]) -> list[str]:
    """Write a table of how good each fit is, and of the tests of its residuals."""
    lines = [
        "## Regressions (as Tables 7.1 to 7.32)",
        "",
        f"{part['cells']} cells. A fifth of the workloads was kept out of the fits that `kept out` is about: the median error of "
        "predictions there, beside that of ordinary least squares, and the share of costs within the interval of 95 %. At these "
        f"workloads {part['near']} of {part['checked']} choices by time are the best, or within 10 % of it. BP, DW, JB: Breusch and "
        "Pagan's p, Durbin and Watson's d, Jarque and Bera's p.",
        "",
        "| aggregate | approach | of | fit | cells | R² | RMSE | MAE | off | kept out | OLS | covered | BP | DW | JB |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in part["rows"]:
        cells = [
            row["aggregate"],
            title_of(row["approach"]),
            row["response"],
            row["way"],
            str(row["cells"]),
            _short(row["r2"]),
            _short(row["rmse"]),
            _short(row["mae"]),
            _share(row["off"]),
            _share(row["holdout_off"]),
            _share(row["ols_off"]),
            _share(row["holdout_covered"]),
            _short(row["breusch_pagan"]),
            _short(row["durbin_watson"]),
            _short(row["jarque_bera"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
