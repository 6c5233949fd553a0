"""The base class of random samples."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from chronosketch.sketch.answering import Ranked, answer, target_type
from chronosketch.sketch.parameter import Parameter
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank.profile import RankProfile
    from chronosketch.sketch.sample.band import Known

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
    def known(self) -> Known:
        """The bounds and estimates that the sample gives."""

    @property
    def delta(self) -> float:
        """The probability that the bounds do not hold."""
        return self.header.numbers[-1]

    @property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self.known.bounds

    @property
    def estimates(self) -> RankProfile:
        """The profile that answers are taken from."""
        return self.known.estimates

    @property
    def rank_error(self) -> float | None:
        """The rank error at `confidence`, as a share of the count; None for an empty sketch."""
        return None if self.profile.is_empty else self.known.rank_error

    @property
    def confidence(self) -> float:
        """The probability that all bounds hold. 1 means always."""
        return 1.0 if self.profile.is_exact else 1 - self.delta

    def description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {**super().description_fields(), "kept": len(self.sample_keys)}

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
