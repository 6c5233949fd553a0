"""The base class of spans: the values alive at each of some consecutive versions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank.profile import RankProfile


class Span(ABC):
    """Consecutive versions, from a first one up to the first of the next span."""

    #: The first version, and the greatest number of elements alive at once.
    first: int
    most: int

    @abstractmethod
    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return the rank bounds at a version. `domain` is the type of the values."""

    @abstractmethod
    def write(self, w: Writer) -> None:
        """Write it without its first version, which is written before."""
