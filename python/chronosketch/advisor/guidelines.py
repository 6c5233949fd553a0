"""The guidelines of Meijer's thesis by name, and which approaches they rule out for a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.advisor.approaches import APPROACHES, RECOMPUTING, title_of
from chronosketch.advisor.units import spell_bytes

if TYPE_CHECKING:
    from chronosketch.advisor.cost_model import Measured
    from chronosketch.advisor.responses import Prediction
    from chronosketch.advisor.workloads import WindowQuestion


@dataclass(frozen=True)
class Guideline:
    """A rule of thumb: its name, the section of the source that it comes from, and its text."""

    name: str
    section: str
    text: str

    def __str__(self) -> str:
        return f"{self.name} (§{self.section})"


RECOMPUTING_GROWS = Guideline(
    "recomputing grows with the window",
    "8.3, 3.2",
    "Recomputing each window takes time and memory that grow at least with the retention.",
)
EXACT_KEEPS_ROWS = Guideline(
    "exact answers keep the window",
    "8.3, 3.2",
    "Exact answers after every row keep the whole retention: less memory takes an error.",
)
MUST_EXPIRE = Guideline(
    "a summary must let rows expire",
    "8.3, 4.2",
    "A summary serves windows only if rows leave it without being shown to it again.",
)
LARGE_SLIDE = Guideline(
    "a large slide is recomputed",
    "8.3, 6.4",
    "With a slide that is large beside the retention, recomputing takes less than keeping a summary.",
)
BOUNDED_PANES = Guideline(
    "panes need a bounded aggregate",
    "4.8, 4.4",
    "Panes save memory where partial answers have a constant size; for other aggregates they save nothing.",
)
WHOLE_PANES = Guideline(
    "panes need a slide that divides the window",
    "4.4, 2.3",
    "A window is made of panes as long as the slide. Else panes are as short as their common divisor.",
)
TAILORED = Guideline(
    "a summary serves what it was made for",
    "4.8, 4.6, 4.7",
    "Histograms serve counts, sums or variances, and quantile summaries serve quantiles.",
)
SAMPLES_ARE_PROBABLE = Guideline(
    "samples keep a promise only probably",
    "4.8, 4.2",
    "A sample keeps its error with the probability 1 − δ, never with certainty.",
)
SAMPLES_FOR_QUANTILES = Guideline(
    "samples promise an error of quantiles only",
    "4.8, 4.5.4",
    "A sample size that promises an error is known for quantiles, and for no other aggregate here.",
)
EXACT_ASKED = Guideline(
    "an error of 0 takes exact approaches",
    "8.1, 4.2",
    "Approaches that approximate answer only where some error is allowed.",
)
MEMORY_GIVEN = Guideline(
    "constraints from outside decide",
    "8.1",
    "A limit of memory rules out what is predicted to need more.",
)
LEAST_TIME = Guideline(
    "predicted times are compared",
    "8.1",
    "Of the approaches that serve, the one with the least predicted time of a slide is best.",
)
NEARLY_EQUAL = Guideline(
    "nearly equal times are decided by memory",
    "8.1",
    "Predictions that differ by less than a threshold are equal; the smaller memory is then better.",
)
STANDS_FOR = Guideline(
    "one aggregate stands for those alike",
    "8.2",
    "Aggregates that are bounded and differential cost alike where rows or panes are kept.",
)
MEASURED_ERROR = Guideline(
    "an approach must be robust",
    "4.1, 4.2",
    "An approach that was measured beyond its allowed error does not serve.",
)

GUIDELINES = tuple(value for value in list(globals().values()) if isinstance(value, Guideline))


def not_serving(question: WindowQuestion, measured: Measured) -> tuple[Guideline, str] | None:
    """Return the guideline that rules out an approach before any prediction, and the reason."""
    aggregate, workload = question.aggregate, question.workload
    listed = APPROACHES.get(measured.approach)
    title = title_of(measured.approach)
    if listed and listed.needs_bounded and not aggregate.bounded:
        return BOUNDED_PANES, f"{aggregate.name} is {aggregate.kind}"
    if listed and listed.needs_whole_slides and not _is_whole(workload.retention / workload.slide):
        return WHOLE_PANES, f"{workload.slide:g} rows do not divide {workload.retention:g}"
    if listed and not listed.serves_aggregate(aggregate):
        return TAILORED, f"{title} serves {' and '.join(listed.serves)}, not {aggregate.name}"
    if measured.aggregate != aggregate.name and aggregate.bounded and measured.promise != "exact":
        return (
            STANDS_FOR,
            f"its costs were measured for {measured.aggregate}, which stands for exact approaches only",
        )
    if measured.promise == "exact":
        return None
    if workload.epsilon == 0:
        return EXACT_ASKED, f"{title} approximates, and epsilon is 0"
    if measured.promise == "probable":
        if aggregate.bounded:
            return SAMPLES_FOR_QUANTILES, f"no sample size is known that keeps an error of {aggregate.name}"
        if question.delta is None:
            return SAMPLES_ARE_PROBABLE, "no delta is given, so answers have to be certain"
    if measured.worst_share is not None and measured.worst_share > 1:
        return MEASURED_ERROR, f"an error of {measured.worst_share:.3g} times epsilon was measured"
    return None


def _is_whole(slides: float) -> bool:
    return abs(slides - round(slides)) <= 1e-9 * slides


def too_large(question: WindowQuestion, size: Prediction) -> tuple[Guideline, str] | None:
    """Return the guideline and reason if an approach does not fit into the memory."""
    if question.memory is None or size.value <= question.memory:
        return None
    return MEMORY_GIVEN, f"needs {spell_bytes(size.value)}, and memory is {spell_bytes(question.memory)}"


def deciding(best: Measured, others: list[Measured], beyond_memory: list[Measured], tie: bool) -> Guideline:
    """Return the guideline that made an approach the best."""
    if tie:
        return NEARLY_EQUAL
    if best.approach == RECOMPUTING:
        return LARGE_SLIDE
    if best.promise != "exact" and any(other.promise == "exact" for other in beyond_memory):
        return EXACT_KEEPS_ROWS
    if any(other.approach == RECOMPUTING for other in others):
        return RECOMPUTING_GROWS
    return LEAST_TIME
