"""What is known of each approach: what it serves, what it promises, and by which terms its cost grows.

Sections are those of Meijer's thesis, *On a design space for aggregating over sliding windows on a stream*.
An approach that is measured but not known here gets general terms; its promise is read from its measurements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chronosketch.advisor.aggregates import AGGREGATES, Aggregate
from chronosketch.advisor.terms import TIMES_SLIDE

Promise = Literal["exact", "certified", "probable"]
PROMISES = ("exact", "certified", "probable")


@dataclass(frozen=True)
class Costs:
    """Terms of the time an element takes, of the time an answer takes, and of the bytes kept."""

    update: tuple[str, ...]
    query: tuple[str, ...]
    bytes: tuple[str, ...]

    @property
    def time(self) -> tuple[str, ...]:
        """Name the terms of the time of a slide: S times the update, and one answer.

        Examples
        --------
        >>> Costs(("one", "log_retention"), ("one", "retention"), ("retention",)).time
        ('slide', 'slide_log_retention', 'one', 'retention')
        """
        return tuple(dict.fromkeys([*(TIMES_SLIDE[name] for name in self.update), *self.query]))

    def of(self, response: str) -> tuple[str, ...]:
        """Return the terms of "time", "update", "query" or "bytes"."""
        return {"update": self.update, "query": self.query, "bytes": self.bytes}.get(response, self.time)


@dataclass(frozen=True)
class Approach:
    """An approach; `serves` names its aggregates, or is empty where `bounded` decides."""

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
        """Return the terms for an aggregate."""
        known = AGGREGATES.get(aggregate)
        if self.unbounded_costs and known and not known.bounded:
            return self.unbounded_costs
        return self.costs

    def serves_aggregate(self, aggregate: Aggregate) -> bool:
        """Say whether it answers for an aggregate.

        Examples
        --------
        >>> APPROACHES["panes"].serves_aggregate(AGGREGATES["quantile"])
        False
        """
        if self.needs_bounded and not aggregate.bounded:
            return False
        return not self.serves or aggregate.name in self.serves


#: What computes each answer anew, from the rows that it keeps.
RECOMPUTING = "expiration_list"
_QUANTILES = ("quantile", "median")
_ONE = ("one",)

_ALL = (
    Approach(
        RECOMPUTING,
        "recompute from a list",
        "3.2, 4.3",
        "exact",
        # its rows are in an array whose length is a power of two
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
            # what came since the last answer is looked through, too
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
            ("one", "unthinned", "inverse_epsilon"),
            # summaries of few rows keep all of them
            ("one", "unthinned", "summary", "inverse_epsilon"),
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

#: Terms of an approach that is not known here, and the terms that any approach falls back to.
GENERAL = Costs(
    ("one", "log_retention", "log_inverse_epsilon"),
    ("one", "retention", "summary"),
    ("one", "retention", "slide", "summary"),
)

#: Terms of the logarithm of a cost, where a product of powers fits better than a sum.
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
    """Name an approach in words, known or not.

    Examples
    --------
    >>> title_of("cmqs"), title_of("my_own")
    ('summaries of fixed panes', 'my own')
    """
    known = APPROACHES.get(approach)
    return known.title if known else approach.replace("_", " ")
