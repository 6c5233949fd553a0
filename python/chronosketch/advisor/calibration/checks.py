"""Check fitted models: the assumptions about their residuals, and the choices that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.stattools import durbin_watson, jarque_bera

from chronosketch.advisor.workloads import Workload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.advisor.calibration.estimating import Fit
    from chronosketch.advisor.calibration.fitting import Calibrated, Group
    from chronosketch.advisor.calibration.measurements import Cell


_FEWEST = 8


@dataclass(frozen=True)
class ResidualTests:
    """Breusch and Pagan's p, Durbin and Watson's d, Jarque and Bera's p; None if a test is not possible."""

    breusch_pagan: float | None
    durbin_watson: float | None
    jarque_bera: float | None


def residual_tests(fit: Fit, cells: Sequence[Cell]) -> ResidualTests:
    """Test the residuals of a fit, with the weights of the fit, in the order of the cells."""
    residuals = np.asarray(fit.results.wresid, dtype=float)
    if len(residuals) < _FEWEST or float(np.abs(residuals).max()) == 0:
        return ResidualTests(None, None, None)
    # Test against predictions, or against retentions if all predictions are equal.
    against = np.log(np.maximum(fit.predicted(cells), 1e-300))
    if np.ptp(against) < 1e-9:
        against = np.log(np.array([cell.workload.retention for cell in cells]))
    spread = None
    if np.ptp(against) >= 1e-9:
        spread = float(het_breuschpagan(residuals, np.column_stack([np.ones(len(cells)), against]))[1])
    return ResidualTests(spread, float(durbin_watson(residuals)), float(jarque_bera(residuals)[1]))


@dataclass(frozen=True)
class Checked:
    """A workload, the chosen and the best approach, and the ratio of their times."""

    aggregate: str
    workload: Workload
    chosen: str
    best: str
    ratio: float


def check_choices(calibrated: Calibrated) -> list[Checked]:
    """For each workload kept out of fitting, choose the approach with the least predicted time.

    Exact approaches compete with the approximate ones of each ε, as they do if an error is allowed.
    """
    checked = []
    for aggregate in sorted({group.aggregate for group in calibrated.groups}):
        groups = [group for group in calibrated.groups if group.aggregate == aggregate and group.kept_out]
        kept_out = [cell for group in groups for cell in group.kept_out]
        for workload in sorted({_without_delta(cell.workload) for cell in kept_out}):
            times = {
                group.approach: pair for group in groups if (pair := _times(group, workload)) is not None
            }
            if len(times) < 2:
                continue
            chosen = min(times, key=lambda approach: times[approach][0])
            best = min(times, key=lambda approach: times[approach][1])
            checked.append(Checked(aggregate, workload, chosen, best, times[chosen][1] / times[best][1]))
    return checked


def _without_delta(workload: Workload) -> Workload:
    return Workload(workload.retention, workload.slide, workload.epsilon)


def _times(group: Group, workload: Workload) -> tuple[float, float] | None:
    """Return the predicted and the measured time of an approach, or None if it was not measured there."""
    fits = [cell for cell in group.kept_out if _answers(cell, workload)]
    trained = group.fitted["time"].trained
    if not fits or trained is None:
        return None
    measured = sum(cell.cost("time") for cell in fits) / len(fits)
    return trained.response.predict(fits[0].workload).value, measured


def _answers(cell: Cell, workload: Workload) -> bool:
    own = cell.workload
    same = own.retention == workload.retention and own.slide == workload.slide
    return same and own.epsilon in (0.0, workload.epsilon)
