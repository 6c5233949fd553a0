"""Advice on sliding windows: recompute each window, keep a summary, or sample.

Costs are measured on a machine by ``chronosketch calibrate`` and fitted by regression; `advise` predicts from
them. Importing this package loads nothing but the standard library.

>>> advice = cs.advise(aggregate="variance", retention_rows=10**6, slide_rows=100)  # doctest: +SKIP
"""

from chronosketch.advisor.advice import Advice, Choice, advise
from chronosketch.advisor.cost_model import CostModel, Measured
from chronosketch.advisor.drift import Drifted, drift
from chronosketch.advisor.guidelines import Guideline
from chronosketch.advisor.responses import Prediction

__all__ = [
    "Advice",
    "Choice",
    "CostModel",
    "Drifted",
    "Guideline",
    "Measured",
    "Prediction",
    "advise",
    "drift",
]
