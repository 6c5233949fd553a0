"""Fit the cost models of all approaches: compare candidates, validate the best, and refit it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from chronosketch.advisor.approaches import APPROACHES, GENERAL, POWERS, PROMISES
from chronosketch.advisor.calibration.estimating import Candidate, Fit, estimate, leading, usable
from chronosketch.advisor.calibration.measurements import Measurements
from chronosketch.advisor.calibration.on_spark import FRAME
from chronosketch.advisor.calibration.on_spark import PLACE as ON_SPARK
from chronosketch.advisor.cost_model import Measured
from chronosketch.advisor.responses import RESPONSES
from chronosketch.advisor.workloads import FACTORS
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.advisor.calibration.estimating import Array
    from chronosketch.advisor.calibration.measurements import Cell


_ONE_OF = 5
_FEWEST = 3


def held_out(cells: Sequence[Cell], seed: int) -> set[tuple[str, float, float]]:
    """Choose the workloads to keep out, as (aggregate, retention, slide).

    Each aggregate's pairs of retention and slide are sorted and cut into runs of five, and one of each run is
    drawn, so that small and large windows are both kept out. All approaches and all ε of a pair are kept out
    together, so that the choice between approaches can be checked too.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> cells = [Cell("sum", "panes", Workload(1000 * r, 10), 1.0, 1.0, 1.0) for r in range(1, 11)]
    >>> len(held_out(cells, 7)), held_out(cells, 7) == held_out(cells, 7), held_out(cells[:2], 7)
    (2, True, set())
    """
    random = Random(seed)
    chosen = set()
    for aggregate in sorted({cell.aggregate for cell in cells}):
        pairs = sorted({(c.workload.retention, c.workload.slide) for c in cells if c.aggregate == aggregate})
        if len(pairs) < _FEWEST:
            continue
        # A short run at the end is joined to the one before it.
        starts = range(0, max(1, len(pairs) - _ONE_OF // 2), _ONE_OF)
        for start in starts:
            end = len(pairs) if start == starts[-1] else start + _ONE_OF
            chosen.add((aggregate, *random.choice(pairs[start:end])))
    return chosen


def is_held_out(cell: Cell, chosen: set[tuple[str, float, float]]) -> bool:
    """Return whether a cell's workload is kept out."""
    return (cell.aggregate, cell.workload.retention, cell.workload.slide) in chosen


def folds(cells: Sequence[Cell], most: int) -> list[int]:
    """Assign each cell to a fold. Cells with the same retention and slide share a fold.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> folds([Cell("sum", "panes", Workload(r, 10), 1.0, 1.0, 1.0) for r in (100, 300, 200, 100)], 2)
    [0, 0, 1, 0]
    """
    pairs = sorted({(c.workload.retention, c.workload.slide) for c in cells})
    number = {pair: i % min(most, len(pairs)) for i, pair in enumerate(pairs)}
    return [number[c.workload.retention, c.workload.slide] for c in cells]


FEWEST = 4
_CORE = "core"
# The aggregates whose models are measured on Spark; all others are measured in the core.
_PLACES = {FRAME: ON_SPARK}
_FOLDS = 10
# Prefer weighted least squares of the approach's own terms, unless another candidate's error is smaller by
# this factor.
_CLEARLY_BETTER = 0.85


@dataclass(frozen=True)
class Errors:
    """Statistics of prediction errors."""

    cells: int
    r2: float | None
    rmse: float
    mae: float
    median_relative: float
    covered: float

    def as_json(self) -> dict[str, Any]:
        """Return the content of the cost model's JSON."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Fitted:
    """A fitted response of one approach, and each candidate's errors on the cells kept out."""

    name: str
    fit: Fit
    ols: Fit
    cross: dict[str, float]
    holdout: dict[str, Errors]
    training: Errors
    trained: Fit | None

    @property
    def validated(self) -> Errors | None:
        """Return the errors of the chosen candidate on cells kept out of its fitting."""
        return self.holdout.get(self.fit.candidate.name)


@dataclass(frozen=True)
class Group:
    """All fits of one aggregate and approach."""

    aggregate: str
    approach: str
    cells: Sequence[Cell]
    kept_out: Sequence[Cell]
    fitted: dict[str, Fitted]
    measured: Measured


@dataclass(frozen=True)
class Calibrated:
    """All fitted groups, and the groups that had too few cells."""

    groups: list[Group]
    left_out: list[str]


def calibrate(measurements: Measurements, seed: int) -> Calibrated:
    """Fit all approaches of the measurements.

    Raises
    ------
    ChronosketchError
        If no approach has enough cells.
    """
    groups, left_out = [], []
    elsewhere = [cell for cell in measurements.cells if not _is_modelled(cell)]
    for place in sorted({cell.place for cell in elsewhere}):
        left_out.append(f"cells measured in {place}, which models do not mix with those of {_CORE}")
    own = Measurements([cell for cell in measurements.cells if _is_modelled(cell)])
    chosen = held_out(own.cells, seed)
    for (aggregate, approach), cells in own.groups().items():
        workloads = {cell.workload for cell in cells}
        if len(workloads) < FEWEST:
            left_out.append(f"{approach} for {aggregate}, too few cells: {len(workloads)} workloads")
        else:
            groups.append(_group(aggregate, approach, cells, chosen))
    if not groups:
        raise ChronosketchError(
            f"Nothing to fit ({'; '.join(left_out)}): a model takes {FEWEST} workloads or more. "
            "Calibrate with a larger grid, or let it run to its end."
        )
    return Calibrated(groups, left_out)


def _is_modelled(cell: Cell) -> bool:
    return cell.place == _PLACES.get(cell.aggregate, _CORE)


def _group(aggregate: str, approach: str, cells: list[Cell], chosen: set[tuple[str, float, float]]) -> Group:
    kept_out = [cell for cell in cells if is_held_out(cell, chosen)]
    training = [cell for cell in cells if not is_held_out(cell, chosen)]
    if len(training) < FEWEST - 1:
        kept_out, training = [], cells
    fitted = {name: _fitted(aggregate, approach, name, cells, training, kept_out) for name in RESPONSES}
    return Group(aggregate, approach, cells, kept_out, fitted, _measured(aggregate, approach, cells, fitted))


def candidates(aggregate: str, approach: str, response: str, cells: Sequence[Cell]) -> list[Candidate]:
    """Return the ways to fit a response, the preferred one first."""
    listed = APPROACHES.get(approach)
    costs = listed.costs_of(aggregate) if listed else GENERAL
    most = max(2, len(cells) // 2)
    own = leading(usable(costs.terms_of(response), cells) or ("one",), cells, response, most)
    general = tuple(dict.fromkeys([*costs.terms_of(response), *GENERAL.terms_of(response)]))
    wide = leading(usable(general, cells) or ("one",), cells, response, most)
    powers = usable(POWERS, cells)[:most]
    return [
        Candidate("wls", "sum", "wls", own),
        Candidate("ols", "sum", "ols", own),
        Candidate("relative", "sum", "relative", own),
        *([Candidate("wls, more terms", "sum", "wls", wide)] if wide != own else []),
        *(
            Candidate(name, "power", "log", terms)
            for name, terms in (
                ("powers", powers),
                ("powers, unmixed", tuple(one for one in powers if one in POWERS[:6])),
                ("powers, first order", tuple(one for one in powers if one in POWERS[:4])),
            )
            if name == "powers" or terms != powers
        ),
    ]


def _fitted(
    aggregate: str, approach: str, name: str, cells: list[Cell], training: list[Cell], kept_out: list[Cell]
) -> Fitted:
    # The choice uses only training cells, so that the cells kept out stay unseen.
    ways = candidates(aggregate, approach, name, training)
    cross = {way.name: _cross_error(way, training, name) for way in ways}
    best = min(ways, key=lambda way: cross[way.name])
    way = best if cross[best.name] < _CLEARLY_BETTER * cross["wls"] else ways[0]
    trained = {one.name: estimate(one, training, name) for one in ways}
    holdout = {one: errors(trained[one], kept_out, name) for one in trained} if kept_out else {}
    fit = estimate(way, cells, name)
    training_errors = errors(fit, cells, name)
    notes: dict[str, Any] = {
        **fit.response.notes,
        "fitted": training_errors.as_json(),
        "holdout": holdout[way.name].as_json() if kept_out else None,
        "holdout_ols": holdout["ols"].as_json() if kept_out else None,
        "intervals": [[float(low), float(high)] for low, high in intervals(fit)],
    }
    fit = replace(fit, response=replace(fit.response, notes=notes))
    ols = estimate(ways[1], cells, name)
    return Fitted(name, fit, ols, cross, holdout, training_errors, trained[way.name] if kept_out else None)


def intervals(fit: Fit) -> list[tuple[float, float]]:
    """Return the 95 % confidence interval of each coefficient."""
    response = fit.response
    halves = [response.t * np.sqrt(max(0.0, row[i])) for i, row in enumerate(response.covariance)]
    return [(b - half, b + half) for b, half in zip(response.coefficients, halves, strict=True)]


def _cross_error(way: Candidate, cells: list[Cell], response: str) -> float:
    """Return the mean absolute error of the logarithms in cross-validation."""
    numbers = folds(cells, _FOLDS)
    total, count = 0.0, 0
    for fold in range(max(numbers) + 1):
        seen = [cell for cell, number in zip(cells, numbers, strict=True) if number != fold]
        unseen = [cell for cell, number in zip(cells, numbers, strict=True) if number == fold]
        terms = usable(way.terms, seen)
        if len(terms) >= len(seen) or not terms:
            return float("inf") if way.estimator != "wls" else 1e9
        fit = estimate(replace(way, terms=terms), seen, response)
        y = np.maximum([cell.cost(response) for cell in unseen], fit.response.smallest)
        total += float(np.abs(np.log(fit.predicted(unseen) / y)).sum())
        count += len(unseen)
    return total / count


def errors(fit: Fit, cells: Sequence[Cell], response: str) -> Errors:
    """Measure the prediction errors on cells, and the share of costs inside the prediction interval."""
    y = np.array([cell.cost(response) for cell in cells])
    predictions = [fit.response.predict(cell.workload) for cell in cells]
    away = np.array([one.value for one in predictions]) - y
    inside = [one.low <= cost <= one.high for one, cost in zip(predictions, y, strict=True)]
    return Errors(
        len(cells),
        _r2(away, y),
        float(np.sqrt(np.mean(away**2))),
        float(np.mean(np.abs(away))),
        float(np.median(np.abs(away) / np.maximum(y, fit.response.smallest))),
        float(np.mean(inside)),
    )


def _r2(away: Array, y: Array) -> float | None:
    around = float(np.sum((y - y.mean()) ** 2))
    return 1 - float(np.sum(away**2)) / around if around > 0 else None


def _measured(aggregate: str, approach: str, cells: list[Cell], fitted: dict[str, Fitted]) -> Measured:
    shares = [
        cell.error / cell.workload.epsilon
        for cell in cells
        if cell.error is not None and cell.workload.epsilon > 0
    ]
    listed = APPROACHES.get(approach)
    return Measured(
        aggregate,
        approach,
        listed.promise if listed else _promise(cells),
        len(cells),
        {name: _range(cells, name) for name in FACTORS},
        max(shares) if shares else None,
        {name: one.fit.response for name, one in fitted.items()},
    )


def _promise(cells: list[Cell]) -> str:
    """Return the guarantee of an unlisted approach, as its measurements state it."""
    promises = {cell.promise for cell in cells if cell.promise}
    if promises:
        # If cells disagree, take the weakest guarantee.
        return max(promises, key=PROMISES.index)
    if all(cell.workload.epsilon == 0 for cell in cells):
        return "exact"
    return "probable" if any(cell.workload.delta > 0 for cell in cells) else "certified"


def _range(cells: list[Cell], name: str) -> tuple[float, float]:
    values = [cell.workload.factor(name) for cell in cells]
    return min(values), max(values)
