"""Fit one regression with statsmodels: terms and an estimator in, a response out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student
from statsmodels.regression.linear_model import OLS, WLS

from chronosketch.advisor.responses import Response
from chronosketch.advisor.terms import TERMS, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chronosketch.advisor.calibration.measurements import Cell
    from chronosketch.advisor.responses import Form

    Array = NDArray[np.float64]

CONFIDENCE = 0.95
_ROUNDS = 25
_COLLINEAR = 1e-7


@dataclass(frozen=True)
class Candidate:
    """A way to fit a response: its terms, whether they form a sum or a product of powers, and an estimator.

    Estimators: "ols"; "wls", with weights 1/ŷ² that are iterated until they settle; "relative", with weights
    1/y², which minimises squared relative errors; "log", least squares of logarithms, for powers.
    """

    name: str
    form: Form
    estimator: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Fit:
    """A response with statsmodels' own results, for the report."""

    candidate: Candidate
    response: Response
    results: Any

    def predicted(self, cells: Sequence[Cell]) -> Array:
        """Predict the costs of cells."""
        return np.array([self.response.predict(cell.workload).value for cell in cells])


def design(terms: Sequence[str], cells: Sequence[Cell]) -> Array:
    """Return the design matrix: a row for each cell, a column for each term."""
    return np.array([[evaluate(name, cell.workload) for name in terms] for cell in cells], dtype=float)


def usable(terms: Sequence[str], cells: Sequence[Cell]) -> tuple[str, ...]:
    """Drop terms that are undefined in some cell, or linearly dependent on the terms before them.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> cells = [Cell("sum", "panes", Workload(r, 10), 1.0, 1.0, 1.0) for r in (100, 200, 400)]
    >>> usable(("one", "retention", "slide", "sample"), cells)
    ('one', 'retention')
    """
    chosen: list[str] = []
    basis: list[Array] = []
    for name in terms:
        if not all(TERMS[name].defined(cell.workload) for cell in cells):
            continue
        column = design([name], cells)[:, 0]
        length = float(np.linalg.norm(column))
        if length == 0:
            continue
        rest = column / length
        for direction in basis:
            rest = rest - direction * float(direction @ rest)
        left = float(np.linalg.norm(rest))
        if left > _COLLINEAR:
            chosen.append(name)
            basis.append(rest / left)
    return tuple(chosen)


def leading(terms: tuple[str, ...], cells: Sequence[Cell], response: str, most: int) -> tuple[str, ...]:
    """Choose terms greedily if there are few cells: each time the one that lowers relative errors most.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> cells = [Cell("sum", "panes", Workload(r, 10), 1.0, 1.0, 8.0 * r) for r in (100, 200, 400)]
    >>> leading(("one", "retention", "log_retention"), cells, "bytes", 1)
    ('retention',)
    """
    if len(terms) <= most:
        return terms
    y = np.array([cell.cost(response) for cell in cells])
    # Relative to each cost, so that large costs do not outweigh the others.
    x = design(terms, cells) / np.maximum(y, _smallest(y))[:, None]
    chosen: list[int] = []
    while len(chosen) < most:
        left = [i for i in range(len(terms)) if i not in chosen]
        chosen.append(min(left, key=lambda i: _distance(x[:, [*chosen, i]])))
    return tuple(terms[i] for i in sorted(chosen))


def _distance(x: Array) -> float:
    """Return how far the nearest combination of columns is from 1 everywhere."""
    x = x / np.abs(x).max(axis=0)
    ones = np.ones(len(x))
    return float(np.linalg.norm(x @ np.linalg.lstsq(x, ones, rcond=None)[0] - ones))


def estimate(candidate: Candidate, cells: Sequence[Cell], response: str) -> Fit:
    """Fit a response to cells. There must be more cells than terms."""
    y = np.array([cell.cost(response) for cell in cells])
    smallest = _smallest(y)
    x = design(candidate.terms, cells)
    # Scale the columns: R·ln R beside 1 would lose digits.
    sizes = np.abs(x).max(axis=0)
    results = _results(candidate, x / sizes, y, smallest)
    coefficients = np.asarray(results.params) / sizes
    covariance = np.asarray(results.cov_params()) / np.outer(sizes, sizes)
    freedom = float(results.df_resid)
    fitted = Response(
        candidate.form,
        candidate.estimator,
        "proportional" if candidate.estimator in ("wls", "relative") else "constant",
        candidate.terms,
        tuple(float(b) for b in coefficients),
        tuple(tuple(float(c) for c in row) for row in covariance),
        float(results.scale),
        float(student.ppf((1 + CONFIDENCE) / 2, freedom)),
        smallest,
        {"freedom": freedom},
    )
    return Fit(candidate, fitted, results)


def _results(candidate: Candidate, x: Array, y: Array, smallest: float) -> Any:
    if candidate.form == "power":
        return OLS(np.log(np.maximum(y, smallest)), x).fit()
    if candidate.estimator == "ols":
        return OLS(y, x).fit()
    if candidate.estimator == "relative":
        return WLS(y, x, weights=1 / np.maximum(y, smallest) ** 2).fit()
    return _weighted(x, y, smallest)


def _weighted(x: Array, y: Array, smallest: float) -> Any:
    # Start with weights from relative errors: predictions of plain least squares may be far below 0.
    results = WLS(y, x, weights=1 / np.maximum(y, smallest) ** 2).fit()
    before = np.maximum(results.fittedvalues, smallest)
    for _ in range(_ROUNDS):
        results = WLS(y, x, weights=1 / before**2).fit()
        now = np.maximum(results.fittedvalues, smallest)
        if np.allclose(now, before, rtol=1e-10, atol=0):
            break
        before = now
    return results


def _smallest(y: Array) -> float:
    """Return the least cost above 0. Some cells may be 0 because they were too quick for the clock."""
    above = y[y > 0]
    return float(above.min()) if len(above) else 1.0
