"""Whether the models choose well: at workloads kept out, the predicted best beside the measured best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.advisor.workloads import Workload

if TYPE_CHECKING:
    from chronosketch.advisor.calibration.fitting import Calibrated, Group
    from chronosketch.advisor.calibration.measurements import Cell


@dataclass(frozen=True)
class Checked:
    """A workload: the approach chosen, the best one, and how many times its time the choice took."""

    aggregate: str
    workload: Workload
    chosen: str
    best: str
    ratio: float


def check_choices(calibrated: Calibrated) -> list[Checked]:
    """Choose the approach with the least predicted time of each workload kept out, from models without it.

    Exact approaches stand beside the approximate ones of each ε, as they do where an error is allowed.
    """
    checked = []
    for aggregate in sorted({group.aggregate for group in calibrated.groups}):
        groups = [group for group in calibrated.groups if group.aggregate == aggregate and group.kept_out]
        kept_out = [cell for group in groups for cell in group.kept_out]
        for asked in sorted({_without_delta(cell.workload) for cell in kept_out}):
            times = {group.approach: pair for group in groups if (pair := _times(group, asked)) is not None}
            if len(times) < 2:
                continue
            chosen = min(times, key=lambda approach: times[approach][0])
            best = min(times, key=lambda approach: times[approach][1])
            checked.append(Checked(aggregate, asked, chosen, best, times[chosen][1] / times[best][1]))
    return checked


def _without_delta(workload: Workload) -> Workload:
    return Workload(workload.retention, workload.slide, workload.epsilon)


def _times(group: Group, asked: Workload) -> tuple[float, float] | None:
    """Return the predicted and the measured time of an approach, if it was measured there."""
    fits = [cell for cell in group.kept_out if _answers(cell, asked)]
    trained = group.fitted["time"].trained
    if not fits or trained is None:
        return None
    measured = sum(cell.cost("time") for cell in fits) / len(fits)
    return trained.response.predict(fits[0].workload).value, measured


def _answers(cell: Cell, asked: Workload) -> bool:
    own = cell.workload
    same = own.retention == asked.retention and own.slide == asked.slide
    return same and own.epsilon in (0.0, asked.epsilon)
