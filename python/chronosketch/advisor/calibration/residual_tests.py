"""Test the assumptions of a regression: equal variance, independence and normality of its residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.stattools import durbin_watson, jarque_bera

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.advisor.calibration.estimating import Fit
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
