"""What was alive at each version of a run of versions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank.profile import RankProfile


class Span(ABC):
    """The versions from a first one up to the first of the next span."""

    #: The first version, and the most elements that were alive.
    first: int
    most: int

    @abstractmethod
    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return what is certain at a version; `domain` is the type of the values."""

    @abstractmethod
    def write(self, w: Writer) -> None:
        """Write it; its first version stands before it."""
