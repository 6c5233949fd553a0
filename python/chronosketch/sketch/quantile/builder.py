"""Build a quantile sketch of values that come a few at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.casting import Cast
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.families import quantile_family
from chronosketch.sketch.quantile.building import keys_and_counts
from chronosketch.sketch.quantile.sketch import EPSILON, QuantileBased, QuantileFamily
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples
from chronosketch.sketch.refusal import Refusal, refusing_as
from chronosketch.sketch.union import common_type

if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterable

    from chronosketch.sketch.quantile.tuples import Longs

# The values that are kept before they are summarised, and the tuples before they are united.
_VALUES = 1 << 18
_TUPLES = 1 << 18


class SketchBuilder:
    """Takes values as they come, and gives a sketch of all of them at any time.

    Parameters
    ----------
    epsilon : float, default 0.001
        The allowed rank error, as a share of the count, from 0 to 0.5. 0 keeps every value.
    type : str, optional
        The SQL type of the sketch; by default one that holds the values of all calls.
    tail : {'high', 'low', 'both'}, optional
        The end of the values near which the rank error is smaller; see `Sketch.build`.
    sum : bool, default False
        Whether the sketch also keeps the sums of the values, which must be numbers.

    Examples
    --------
    >>> from chronosketch.sketch import SketchBuilder
    >>> latencies = SketchBuilder(epsilon=0.01)
    >>> latencies.add([120.0, 80.0])
    >>> latencies.add([95.0])
    >>> latencies.count, latencies.sketch().max()
    (3, 120.0)
    """

    @refusing_as("SketchBuilder")
    def __init__(
        self,
        epsilon: float = 1e-3,
        type: str | None = None,  # noqa: A002
        tail: str | None = None,
        sum: bool = False,  # noqa: A002
    ) -> None:
        self._kind: builtins.type[QuantileFamily] = quantile_family(tail)
        # the class with sums, and the sums so far; None without any
        self._summed: Any = quantile_family(tail, sum) if sum is not False else None
        self._sums: Any = None
        self._epsilon = EPSILON.require(epsilon)
        self._type = type
        self._domain: Domain | None = None if type is None else domain_named(type)
        self._values: list[Longs] = []
        self._parts: list[Tuples] = []
        self._unions: list[Tuples] = []
        self.count = 0

    @refusing_as("SketchBuilder.add")
    def add(self, values: Iterable[object], frequency: Iterable[int | None] | None = None) -> None:
        """Add values, in any form that `Sketch.build` takes.

        Parameters
        ----------
        values : iterable
            Values of the type of those before, or of one that holds both.
        frequency : iterable of int, optional
            How often each value counts. Values with 0 or None are skipped.

        Raises
        ------
        ChronosketchError
            If no type holds these values and those before, or the count exceeds 63 bits.
        """
        counts = None
        if frequency is None:
            domain, keys = keys_of(values, self._type)
            total = len(keys)
        else:
            domain, keys, counts = keys_and_counts(values, self._type, frequency)
            total = int(counts.astype(object).sum())
        if total == 0:
            return
        if self.count + total > MOST_LONG:
            raise Refusal("COUNT_OVERFLOW", limit=MOST_LONG)
        sums = None if self._summed is None else self._summed.sums_of(domain, keys, counts)
        keys = self._in_one_type(domain, keys)
        self._sums = sums if self._sums is None else self._sums.merge(sums)
        self.count += total
        if counts is not None:
            self._parts.append(self._kind._summary_of_counts(keys, counts, self._epsilon))
            return
        self._values.append(keys)
        if sum(map(len, self._values)) >= _VALUES:
            self._summarise()

    def sketch(self) -> QuantileBased:
        """Return a sketch of all values so far. More can be added."""
        self._summarise()
        domain = self._domain or Domain(Kind.DOUBLE)
        tuples = self._kind._united([*self._unions, *self._parts], self._epsilon)
        quantiles = self._kind(Header(domain, (self._epsilon,)), tuples)
        if self._summed is None:
            return quantiles
        sums = self._sums or self._summed.sums_of(domain, NO_TUPLES.keys)
        summed: QuantileBased = self._summed(quantiles, sums.cast(domain.sql))
        return summed

    def _in_one_type(self, domain: Domain, keys: Longs) -> Longs:
        """Return keys of the type that holds all values, and change those before to it."""
        before = self._domain if self._domain is not None and (self.count or self._type) else domain
        try:
            wider = common_type(self._kind(Header(before, (self._epsilon,)), NO_TUPLES), before, domain)
        except Refusal as refusal:
            fix = "Name one type for the values of all calls, e.g. SketchBuilder(type='double')."
            raise Refusal("VALUE_TYPES_DIFFER", **{**refusal.parameters, "fix": fix}) from None
        if wider != before:
            cast = Cast(before, wider)
            self._values = [cast.keys(some) for some in self._values]
            self._parts, self._unions = (
                [part.cast_by(cast) for part in parts] for parts in (self._parts, self._unions)
            )
        self._domain = wider
        return Cast(domain, wider).keys(keys)

    def _summarise(self) -> None:
        if self._values:
            self._parts.append(self._kind._summary_of_keys(np.concatenate(self._values), self._epsilon))
            self._values = []
        if sum(map(len, self._parts)) > max(_TUPLES, 16 / self._epsilon if self._epsilon else 0):
            # unions of unions lose more, so they are left for later
            self._unions.append(self._kind._united(self._parts, self._epsilon))
            self._parts = []
