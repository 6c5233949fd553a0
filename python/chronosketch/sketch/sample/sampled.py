"""The base class of random samples, and what a sample says about the ranks of all rows."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from chronosketch.sketch.answering import Ranked, answer, target_type
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.envelope import Parameter
from chronosketch.sketch.rank import EMPTY, RankProfile
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.domain.values import Value


class Population(NamedTuple):
    """The rows that a sample was drawn from.

    Attributes
    ----------
    least, most : int
        The least and greatest possible number of rows.
    floor, ceiling : int
        Keys that all rows lie between.
    is_reached : bool
        Whether `floor` and `ceiling` are the least and the greatest row. Otherwise they are only bounds.
    """

    least: int
    most: int
    floor: int
    ceiling: int
    is_reached: bool = True

    @property
    def middle(self) -> int:
        """The middle of the bounds of the number of rows."""
        return self.least + (self.most - self.least) // 2


class SampleRanks(NamedTuple):
    """The bounds and estimates that follow from a sample.

    Attributes
    ----------
    bounds : RankProfile
        Rank bounds that hold all at once with a probability of 1 − δ.
    estimates : RankProfile
        The sample itself, with all rows weighted equally.
    rank_error : float
        The greatest rank error of a quantile, as a share of the rows, with the same probability.
    """

    bounds: RankProfile
    estimates: RankProfile
    rank_error: float


NO_RANKS = SampleRanks(EMPTY, EMPTY, 0.0)


class Band:
    """Rank bounds at confidence 1 − δ, for m rows drawn uniformly without replacement.

    Notes
    -----
    One half of δ: Dvoretzky, Kiefer and Wolfowitz 1956 with the constant of Massart 1990, and Hoeffding 1963,
    Theorem 4, for draws without replacement. The other half: Chernoff's bound for each value of the sample
    from either side.

    Examples
    --------
    >>> from chronosketch.sketch.sample.sampled import Band
    >>> band = Band(100, 0.01)
    >>> band.least(50, 1000) < 500 < band.most(50, 1000)
    True
    """

    def __init__(self, m: int, delta: float) -> None:
        self._m = m
        self._uniform = math.sqrt(math.log(8 / (delta / 2)) / (2 * float(m)))
        # 2m events, each with a probability of exp(−m·KL)
        self._depth = math.log(4 * float(m) / delta) / m

    def low(self, q: float) -> float:
        """Return a lower bound of the share of rows ≤ a value, if it is q in the sample."""
        return 1 - self.high(1 - q)

    def high(self, q: float) -> float:
        """Return an upper bound of that share: KL(q‖p) ≥ (p − q)²/2p and ≥ (p − q)²/2(1 − q), for p > q."""
        from_low = q + self._depth + math.sqrt(self._depth * (self._depth + 2 * q))
        from_high = q + math.sqrt(2 * (1 - q) * self._depth)
        return min(1.0, min(q + self._uniform, min(from_low, from_high)))

    def least(self, c: int, n: int) -> int:
        """Return a lower bound of the number of n rows ≤ a value, if c sampled rows are."""
        return 0 if c == 0 else max(c, whole(math.floor(self.low(float(c) / self._m) * float(n))))

    def most(self, c: int, n: int) -> int:
        """Return an upper bound of that number."""
        if c == self._m:
            return n
        return min(n - (self._m - c), whole(math.ceil(self.high(float(c) / self._m) * float(n))))

    def widest(self, up_to: Sequence[int]) -> float:
        """Return the greatest error, as a share of the rows, of quantiles taken from the sample alone."""
        error = before = 0.0
        for c in up_to:
            q = float(c) / self._m
            error = max(error, q - self.low(q), self.high(before) - before)
            before = q
        return error


def whole(number: int) -> int:
    """Limit a number to 63 bits."""
    return min(number, MOST_LONG)


def ranks_from_sample(sample: list[int], rows: Population, delta: float) -> SampleRanks:
    """Return what a sample, given as ascending keys, implies about the rows it was drawn from.

    Examples
    --------
    >>> from chronosketch.sketch.sample.sampled import Population, ranks_from_sample
    >>> ranks_from_sample([1, 3, 9], Population(3, 3, 1, 9), 0.01).bounds.is_exact
    True
    """
    m = len(sample)
    is_whole = m == rows.least == rows.most
    if is_whole:
        rows = rows._replace(floor=sample[0], ceiling=sample[-1], is_reached=True)
    keys, up_to = _places(sample, rows.floor, rows.ceiling)
    bounds = _bounds(keys, up_to, m, rows, delta, is_whole=is_whole)
    if rows.is_reached:
        estimate = _estimates(up_to, m, rows.least, is_whole=is_whole)
        error = float(_worst(estimate, bounds)) / float(rows.least)
        return SampleRanks(bounds, RankProfile.certain(keys, estimate, estimate, rows.least), error)
    if m == 0:
        return SampleRanks(bounds, EMPTY, 1.0)
    keys, up_to = _places(sample, sample[0], sample[-1])
    estimate = _estimates(up_to, m, rows.middle, is_whole=False)
    widest = Band(m, delta).widest(up_to) + (1.0 / float(rows.least) if rows.least else math.inf)
    return SampleRanks(bounds, RankProfile.certain(keys, estimate, estimate, rows.middle), min(1.0, widest))


def _places(sample: list[int], floor: int, ceiling: int) -> tuple[list[int], list[int]]:
    """Return the distinct keys of the sample and the ends, and how many sampled keys are at or below each."""
    up_to: dict[int, int] = {floor: 0}
    for count, key in enumerate(sample, start=1):
        up_to[key] = count
    up_to[ceiling] = len(sample)
    return list(up_to), list(up_to.values())


def _bounds(
    keys: list[int], up_to: list[int], m: int, rows: Population, delta: float, *, is_whole: bool
) -> RankProfile:
    band = None if is_whole or m == 0 else Band(m, delta)
    # the minimum is a row itself, and the maximum lies above the other keys
    edge = 1 if rows.is_reached else 0
    low, high, above_low, above_high = [], [], [rows.least], [rows.most]
    for c in up_to[:-1]:
        if is_whole:
            low.append(c)
            high.append(c)
        else:
            low.append(max(edge, band.least(c, rows.least) if band else 0))
            high.append(min(rows.most - edge, band.most(c, rows.most) if band else rows.most))
        above_low.append(max(edge, band.least(m - c, rows.least) if band else 0))
        above_high.append(min(rows.most - edge, band.most(m - c, rows.most) if band else rows.most))
    low.append(rows.least)
    high.append(rows.most)
    above_low.append(0)
    above_high.append(0)
    size = len(keys)
    for i in range(1, size):
        low[i] = max(low[i], low[i - 1])
        above_high[i] = min(above_high[i], above_high[i - 1])
    for i in range(size - 2, -1, -1):
        high[i] = min(high[i], high[i + 1])
        above_low[i] = max(above_low[i], above_low[i + 1])
    if rows.least == rows.most:
        return RankProfile.certain(keys, low, high, rows.least)
    return RankProfile(keys, low, high, 0, above_low, above_high)


def _estimates(up_to: list[int], m: int, n: int, *, is_whole: bool) -> list[int]:
    """Return estimated ranks among n rows for each position of a sample of m."""
    inner = [
        c if is_whole else max(1, min(n - 1, _rounded((float(c) / m if m else 0.0) * float(n))))
        for c in up_to[:-1]
    ]
    return [*inner, n]


def _rounded(number: float) -> int:
    """Return the nearest integer, halves rounded up."""
    below = math.floor(number)
    return whole(below + 1 if number - below >= 0.5 else below)


def _worst(estimate: list[int], bounds: RankProfile) -> int:
    low, high = bounds.at_most_low, bounds.at_most_high
    return max(
        *(rank - at_least for rank, at_least in zip(estimate, low, strict=True)),
        *(at_most - rank for rank, at_most in zip(estimate[:-1], high[:-1], strict=True)),
        0,
    )


SIZE = Parameter("size", 1, 1 << 24, is_whole=True)
# all integers that a DOUBLE represents without gaps
SEED = Parameter("seed", -(2.0**53), 2.0**53, is_whole=True)
DELTA = Parameter("delta", 1e-12, 0.5)


class Sampled(Ranked):
    """A random sample. All its bounds hold at once with the probability `confidence`."""

    @property
    @abstractmethod
    def sample_keys(self) -> list[int]:
        """The keys of the sample, ascending."""

    @property
    @abstractmethod
    def ranks(self) -> SampleRanks:
        """The bounds and estimates that the sample gives."""

    @property
    def delta(self) -> float:
        """The probability that the bounds do not hold."""
        return self.header.numbers[-1]

    @property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self.ranks.bounds

    @property
    def _estimates(self) -> RankProfile:
        """The profile that answers are taken from."""
        return self.ranks.estimates

    @property
    def rank_error(self) -> float | None:
        """The rank error at `confidence`, as a share of the count; None for an empty sketch."""
        return None if self.profile.is_empty else self.ranks.rank_error

    @property
    def confidence(self) -> float:
        """The probability that all bounds hold. 1 means always."""
        return 1.0 if self.profile.is_exact else 1 - self.delta

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {**super()._description_fields(), "kept": len(self.sample_keys)}

    @question
    def sample(self, type: str | None = None) -> list[Value]:  # noqa: A002
        """Return the values of the sample, in ascending order.

        Parameters
        ----------
        type : str, optional
            The SQL type of the values, such as ``"double"``; by default that of the sketch.

        Raises
        ------
        ChronosketchError
            If the values do not convert to the type.
        """
        to = target_type(self.domain, type)
        return [answer(key, self.domain, to, "sketch.sample('{}')") for key in self.sample_keys]
