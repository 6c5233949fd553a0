"""What all sketches share that are some of the values, chosen by chance."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from chronosketch.sketch.answering import Ranked, answer, asked_type
from chronosketch.sketch.parameter import Parameter
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank.profile import RankProfile
    from chronosketch.sketch.sample.band import Known

SIZE = Parameter("size", 1, 1 << 24, is_whole=True)
# every whole number that a DOUBLE has without a gap
SEED = Parameter("seed", -(2.0**53), 2.0**53, is_whole=True)
DELTA = Parameter("delta", 1e-12, 0.5)


class Sampled(Ranked):
    """A sketch that is some of the values: its bounds hold all at once with the probability `confidence`."""

    @property
    @abstractmethod
    def sample_keys(self) -> list[int]:
        """The keys of the sample, rising."""

    @property
    @abstractmethod
    def known(self) -> Known:
        """What is known by them."""

    @property
    def delta(self) -> float:
        """The probability that the bounds do not hold."""
        return self.header.numbers[-1]

    @property
    def profile(self) -> RankProfile:
        """Its bounds."""
        return self.known.bounds

    @property
    def estimates(self) -> RankProfile:
        """What its answers are taken from."""
        return self.known.estimates

    @property
    def rank_error(self) -> float | None:
        """The rank error, as a share of the count, at the `confidence`; None of an empty sketch."""
        return None if self.profile.is_empty else self.known.rank_error

    @property
    def confidence(self) -> float:
        """The probability that all of its bounds hold; 1 is for certain."""
        return 1.0 if self.profile.is_exact else 1 - self.delta

    def tells(self) -> dict[str, Any]:
        """Return what `describe` says beside what all sketches tell."""
        return {**super().tells(), "kept": len(self.sample_keys)}

    @question
    def sample(self, type: str | None = None) -> list[Value]:  # noqa: A002
        """Return the values of the sample, in ascending order.

        Parameters
        ----------
        type : str, optional
            The SQL type of the values, as ``"double"``: that of the sketch when not given.

        Raises
        ------
        ChronosketchError
            If the values do not convert to the type.
        """
        to = asked_type(self.domain, type)
        return [answer(key, self.domain, to, "sketch.sample('{}')") for key in self.sample_keys]
