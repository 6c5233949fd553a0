"""The approaches: the aggregates they serve, their guarantees, and the terms of their costs.

Sections are those of Meijer's thesis, *On a design space for aggregating over sliding windows on a stream*.
A measured approach that is not listed here gets general terms; its guarantee comes from its measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chronosketch.advisor.terms import TIMES_SLIDE
from chronosketch.advisor.workloads import AGGREGATES, Aggregate

Promise = Literal["exact", "certified", "probable"]
PROMISES = ("exact", "certified", "probable")


@dataclass(frozen=True)
class Costs:
    """The terms of three costs: the time of an element, the time of an answer, and the bytes kept."""

    update: tuple[str, ...]
    query: tuple[str, ...]
    bytes: tuple[str, ...]

    @property
    def time(self) -> tuple[str, ...]:
        """The terms of the time of a slide: S updates and one answer.

        Examples
        --------
        >>> Costs(("one", "log_retention"), ("one", "retention"), ("retention",)).time
        ('slide', 'slide_log_retention', 'one', 'retention')
        """
        return tuple(dict.fromkeys([*(TIMES_SLIDE[name] for name in self.update), *self.query]))

    def terms_of(self, response: str) -> tuple[str, ...]:
        """Return the terms of one cost: "time", "update", "query" or "bytes"."""
        return {"update": self.update, "query": self.query, "bytes": self.bytes}.get(response, self.time)


@dataclass(frozen=True)
class Approach:
    """An approach. `serves` names its aggregates; if it is empty, `bounded` decides."""

    name: str
    title: str
    section: str
    promise: Promise
    costs: Costs
    unbounded_costs: Costs | None = None
    serves: tuple[str, ...] = ()
    needs_bounded: bool = False
    needs_whole_slides: bool = False

    def costs_of(self, aggregate: str) -> Costs:
        """Return the cost terms for an aggregate."""
        listed = AGGREGATES.get(aggregate)
        if self.unbounded_costs and listed and not listed.bounded:
            return self.unbounded_costs
        return self.costs

    def serves_aggregate(self, aggregate: Aggregate) -> bool:
        """Return whether the approach can compute an aggregate.

        Examples
        --------
        >>> APPROACHES["panes"].serves_aggregate(AGGREGATES["quantile"])
        False
        """
        if self.needs_bounded and not aggregate.bounded:
            return False
        return not self.serves or aggregate.name in self.serves


#: The approach that keeps the rows and recomputes each answer from them.
RECOMPUTING = "expiration_list"
_QUANTILES = ("quantile", "median")
_ONE = ("one",)

_ALL = (
    Approach(
        RECOMPUTING,
        "recompute from a list",
        "3.2, 4.3",
        "exact",
        # rows are in an array whose length is a power of two
        Costs(_ONE, ("one", "retention"), ("one", "retention", "room")),
        Costs(_ONE, ("one", "retention", "retention_log_retention"), ("one", "retention", "room")),
    ),
    Approach(
        "two_stack",
        "two stacks",
        "4.3",
        "exact",
        Costs(("one", "log_retention"), _ONE, ("one", "retention")),
        needs_bounded=True,
    ),
    Approach(
        "panes",
        "panes",
        "4.4",
        "exact",
        Costs(("one", "inverse_slide"), ("one", "slides_in_retention"), ("one", "slides_in_retention")),
        needs_bounded=True,
        needs_whole_slides=True,
    ),
    Approach(
        "block_sort",
        "block sort",
        "4.3",
        "exact",
        Costs(("one", "log_retention", "inverse_slide"), _ONE, ("one", "retention")),
        serves=_QUANTILES,
    ),
    Approach(
        "exponential_histogram",
        "exponential histogram",
        "4.6.1",
        "certified",
        Costs(("one", "log_scaled_retention"), ("one", "summary"), ("one", "summary")),
        serves=("count", "sum"),
    ),
    Approach(
        "variance_histogram",
        "variance histogram",
        "4.6.2",
        "certified",
        Costs(
            ("one", "log_retention", "log_inverse_epsilon"),
            ("one", "variance_buckets"),
            ("one", "variance_buckets", "summary", "inverse_epsilon"),
        ),
        serves=("variance",),
    ),
    Approach(
        "bernoulli",
        "Bernoulli sample",
        "4.5.1",
        "probable",
        Costs(("one", "sampled"), _ONE, ("one", "sample")),
        Costs(("one", "sampled", "log_sample"), ("one", "sample"), ("one", "sample")),
    ),
    Approach(
        "priority",
        "priority sample",
        "4.5.2",
        "probable",
        Costs(("one", "log_sample"), ("one", "sample"), ("one", "sample", "sample_log_retention")),
        Costs(
            ("one", "log_sample", "sampled"),
            # an answer also scans the rows since the last answer
            ("one", "sample", "sample_log_sample", "sample_log_retention", "slide"),
            ("one", "sample", "sample_log_retention"),
        ),
    ),
    Approach(
        "bounded_priority",
        "priority sample of bounded size",
        "4.5.2",
        "probable",
        Costs(("one", "log_sample"), ("one", "sample"), ("one", "sample")),
        Costs(
            ("one", "log_sample", "sampled"),
            ("one", "sample", "sample_log_sample", "slides_in_retention"),
            ("one", "sample"),
        ),
    ),
    Approach(
        "biased_reservoir",
        "biased reservoir",
        "4.5.3",
        "probable",
        Costs(_ONE, _ONE, ("one", "sample")),
        Costs(("one", "log_sample"), ("one", "sample"), ("one", "sample")),
    ),
    Approach(
        "cmqs",
        "summaries of fixed panes",
        "4.7.1",
        "certified",
        Costs(
            ("one", "log_inverse_epsilon"),
            ("one", "pane_keys", "inverse_epsilon"),
            # summaries of few rows keep all of them
            ("one", "pane_keys", "summary", "inverse_epsilon"),
        ),
        serves=_QUANTILES,
    ),
    Approach(
        "arasu_manku",
        "Arasu-Manku, fixed",
        "4.7.2",
        "certified",
        Costs(
            ("one", "log_inverse_epsilon", "log_retention"),
            ("one", "levels"),
            ("one", "inverse_epsilon", "levels", "summary"),
        ),
        serves=_QUANTILES,
    ),
    Approach(
        "arasu_manku_variable",
        "Arasu-Manku, variable",
        "4.7.2",
        "certified",
        Costs(
            ("one", "log_inverse_epsilon", "log_scaled_retention"),
            ("one", "levels"),
            ("one", "levels", "levels_log_scaled_retention"),
        ),
        serves=_QUANTILES,
    ),
)
APPROACHES = {approach.name: approach for approach in _ALL}

#: Terms of approaches that are not listed here, and the fallback for all approaches.
GENERAL = Costs(
    ("one", "log_retention", "log_inverse_epsilon"),
    ("one", "retention", "summary"),
    ("one", "retention", "slide", "summary"),
)

#: Terms of the logarithm of a cost, for costs that are products of powers rather than sums.
POWERS = (
    "one",
    "log_retention",
    "log_slide",
    "log_inverse_epsilon",
    "log_retention_squared",
    "log_slide_squared",
    "log_inverse_epsilon_squared",
    "log_retention_log_slide",
    "log_retention_log_inverse_epsilon",
    "log_slide_log_inverse_epsilon",
)


def title_of(approach: str) -> str:
    """Return the name of an approach in words, even if it is not listed.

    Examples
    --------
    >>> title_of("cmqs"), title_of("my_own")
    ('summaries of fixed panes', 'my own')
    """
    listed = APPROACHES.get(approach)
    return listed.title if listed else approach.replace("_", " ")
