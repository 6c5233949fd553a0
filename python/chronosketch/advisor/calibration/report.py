"""Write the report of a calibration: one self-contained HTML page."""

from __future__ import annotations

from html import escape
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np

from chronosketch.advisor.approaches import title_of
from chronosketch.advisor.calibration.checks import check_choices, residual_tests
from chronosketch.advisor.calibration.fitting import calibrate, intervals
from chronosketch.advisor.calibration.pictures import Point, predicted_against_measured, residuals
from chronosketch.advisor.cost_model import FILE, CostModel
from chronosketch.advisor.terms import TERMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from chronosketch.advisor.calibration.checks import Checked
    from chronosketch.advisor.calibration.estimating import Fit
    from chronosketch.advisor.calibration.fitting import Calibrated, Errors, Fitted, Group
    from chronosketch.advisor.calibration.measurements import Measurements


_TITLES = {
    "time": ("processing time of a slide", "ns"),
    "bytes": ("memory", "bytes"),
    "update": ("time of an element", "ns"),
    "query": ("time of an answer", "ns"),
}
_STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #24292f; --soft: #59636e; --grid: #d8dee4;
  --seen: #0969da; --fresh: #bc4c00; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --ink: #e6edf3; --soft: #9198a1;
  --grid: #30363d; --seen: #58a6ff; --fresh: #f0883e; } }
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .6rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--grid); padding: .2rem .8rem .2rem 0; text-align: right; }
th:first-child, td:first-child, td.text { text-align: left; }
h2 { border-top: 1px solid var(--grid); padding-top: 1rem; } .soft { color: var(--soft); }
.side { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-start; } svg { width: 22rem; }
svg text { fill: var(--soft); font: 10px system-ui, sans-serif; }
svg .title { fill: var(--ink); font-size: 11px; }
svg .grid { stroke: var(--grid); stroke-width: .6; } svg .ink { stroke: var(--soft); stroke-width: 1; }
.seen { fill: var(--seen); fill-opacity: .75; } .fresh { fill: var(--fresh); }
"""


def report(
    calibrated: Calibrated,
    machine: Mapping[str, object],
    versions: Mapping[str, object],
    grid: Mapping[str, object],
    checked: Sequence[Checked],
) -> str:
    """Return the report as HTML."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>chronosketch: cost models</title><style>{_STYLE}</style></head><body>",
        "<h1>Cost models of approaches to sliding windows</h1>",
        "<h2>Machine and grid</h2>",
        _table(("", ""), [(name, _text(value)) for name, value in {**machine, **versions}.items()]),
        _table(("factor", "measured values"), [(name, _text(value)) for name, value in grid.items()]),
        *(f"<p>Left out: {escape(one)}.</p>" for one in calibrated.left_out),
        _READING,
        "<h2>All models</h2>",
        _overview(calibrated.groups),
        _choices(checked),
        *(_group(group) for group in calibrated.groups),
        "</body></html>\n",
    ]
    return "\n".join(parts)


_READING = """<p>R is the retention and S the slide in rows, ε the allowed error, k the rows of a sample.
Each model is fitted to all its cells; it is validated by a fit of the same kind without a fifth of the
workloads. Of several candidates the one with the least error in cross-validation, inside the other four
fifths, is taken; weighted least squares (1/ŷ²) stays unless another is clearly better. The pictures show
cells kept out in <b style="color:var(--fresh)">orange</b>, as the fit without them predicts them, others in
<b style="color:var(--seen)">blue</b>. A prediction below the least measured cost is raised to it.</p>"""


def _overview(groups: Sequence[Group]) -> str:
    rows = []
    for group in groups:
        name = f"{group.aggregate}, {title_of(group.approach)}"
        cells = [name, str(len(group.cells)), str(len(group.kept_out))]
        for response in ("time", "bytes"):
            fitted = group.fitted[response]
            ols = fitted.holdout.get("ols")
            cells += [fitted.fit.candidate.name, _share(fitted.validated), _share(ols)]
        rows.append(tuple(cells))
    names = ("", "cells", "kept out", "time by", "median error", "OLS", "memory by", "median error", "OLS")
    return _table(names, rows)


def _choices(checked: Sequence[Checked]) -> str:
    if not checked:
        return (
            "<p>No workload was kept out at which two approaches were measured, so no choice was checked.</p>"
        )
    good = sum(one.ratio <= 1.1 for one in checked)
    rows = [
        (
            f"{one.aggregate}, R = {one.workload.retention:g}, S = {one.workload.slide:g}, "
            f"ε = {one.workload.epsilon:g}",
            title_of(one.chosen),
            title_of(one.best),
            f"{one.ratio:.2f}",
        )
        for one in checked
        if one.ratio > 1.1
    ]
    text = (
        f"<p>At {len(checked)} workloads kept out, the approach with the least predicted time was the "
        f"measured best, or within 10 % of it, at {good} ({good / len(checked):.0%}).</p>"
    )
    return text + (_table(("not so at", "chosen", "best", "times the best"), rows) if rows else "")


def _group(group: Group) -> str:
    head = f"<h2>{escape(group.aggregate)}: {escape(title_of(group.approach))}</h2>"
    worst = group.measured.worst_share
    if worst is not None:
        head += f"<p>The largest measured error was {worst:.3g} times the allowed one.</p>"
    return head + "".join(_response(group, fitted) for fitted in group.fitted.values())


def _response(group: Group, fitted: Fitted) -> str:
    title, unit = _TITLES[fitted.name]
    points = _points(group, fitted)
    inside = (
        f'<div class="side"><div>{_coefficients(fitted.fit)}{_figures(group, fitted)}</div>'
        f"{predicted_against_measured(points, unit)}{residuals(points, unit)}</div>"
        f"<details><summary>OLS beside it</summary>{_coefficients(fitted.ols)}</details>"
    )
    opened = " open" if fitted.name in ("time", "bytes") else ""
    form = "exp(Σ)" if fitted.fit.response.form == "power" else "Σ"
    return (
        f"<details{opened}><summary><b>{title}</b>, {unit}: {form} of terms, by {fitted.fit.candidate.name}"
        f"</summary>{inside}</details>"
    )


def _points(group: Group, fitted: Fitted) -> list[Point]:
    kept_out = set(map(id, group.kept_out))
    points = []
    for cell in group.cells:
        fresh = id(cell) in kept_out and fitted.trained is not None
        fit = fitted.trained if fresh and fitted.trained else fitted.fit
        points.append(Point(cell.cost(fitted.name), fit.response.predict(cell.workload).value, fresh))
    return points


def _coefficients(fit: Fit) -> str:
    response, results = fit.response, fit.results
    deviation = np.std(results.model.endog)
    rows = []
    for i, (name, (low, high)) in enumerate(zip(response.terms, intervals(fit), strict=True)):
        column = np.std(results.model.exog[:, i])
        beta = results.params[i] * column / deviation if column > 1e-12 and deviation > 0 else None
        rows.append(
            (
                TERMS[name].formula,
                f"{response.coefficients[i]:.4g}",
                f"{low:.4g} to {high:.4g}",
                f"{np.sqrt(max(0.0, response.covariance[i][i])):.3g}",
                "" if beta is None else f"{beta:.3f}",
                f"{results.tvalues[i]:.2f}",
                _p(float(results.pvalues[i])),
            )
        )
    return _table(("term", "B", "95 %", "std. error", "β", f"t({results.df_resid:.0f})", "p"), rows)


def _figures(group: Group, fitted: Fitted) -> str:
    tests = residual_tests(fitted.fit, group.cells)
    names = ("", "cells", "R²", "RMSE", "MAE", "median error", "inside 95 %")
    rows = [("fitted", *_errors(fitted.training))]
    rows += [
        (f"kept out, {name}{' (chosen)' if name == fitted.fit.candidate.name else ''}", *_errors(errors))
        for name, errors in fitted.holdout.items()
    ]
    tested = [
        ("Breusch–Pagan, p (small: the variance is not one)", _number(tests.breusch_pagan)),
        ("Durbin–Watson, d (2: independent)", _number(tests.durbin_watson)),
        ("Jarque–Bera, p (small: not normal)", _number(tests.jarque_bera)),
    ]
    return _table(names, rows) + _table(("residuals", ""), tested)


def _errors(errors: Errors) -> tuple[str, ...]:
    r2 = _number(errors.r2)
    numbers = (str(errors.cells), r2, f"{errors.rmse:.4g}", f"{errors.mae:.4g}")
    return (*numbers, f"{errors.median_relative:.1%}", f"{errors.covered:.0%}")


def _share(errors: Errors | None) -> str:
    return "not validated" if errors is None else f"{errors.median_relative:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _text(value: object) -> str:
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


REPORT = "report.html"


def write(measurements: Measurements, seed: int, folder: Path) -> tuple[Calibrated, list[Checked]]:
    """Fit the models, and write the cost model and the report. Equal measurements give equal files."""
    with catch_warnings():
        # If all bytes are equal, there are no residuals to test; the report shows no result then.
        simplefilter("ignore", RuntimeWarning)
        return _write(measurements, seed, folder)


def _write(measurements: Measurements, seed: int, folder: Path) -> tuple[Calibrated, list[Checked]]:
    calibrated = calibrate(measurements, seed)
    checked = check_choices(calibrated)
    versions = {
        "chronosketch": version("chronosketch"),
        "python": python_version(),
        "statsmodels": version("statsmodels"),
        "seed": seed,
    }
    grid = measurements.grid()
    model = CostModel(measurements.machine, versions, grid, [group.measured for group in calibrated.groups])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(model.text(), encoding="utf-8")
    page = report(calibrated, measurements.machine, versions, grid, checked)
    (folder / REPORT).write_text(page, encoding="utf-8")
    return calibrated, checked
