"""The history: which values were alive at any past version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.envelope import Header
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.domain import conversion
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import Value, domain_of, example_of, key_of, value_of
from chronosketch.sketch.history.chain import SMALLEST_CHAIN, Chain, joined
from chronosketch.sketch.history.version import Version
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.rank.profile import EMPTY
from chronosketch.sketch.refusal import Refusal, question, spoken

if TYPE_CHECKING:
    from datetime import date

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.parameter import Parameter


class Versions(NamedTuple):
    """The first and the last version of a history, and over how many trees and logs they are spread."""

    first: Value | None
    last: Value | None
    trees: int


class History(Sketch):
    """A sketch by history_sketch_agg: any past version of values that come and go.

    Its values differ from version to version, so that questions are put to one: ``history.at_version(7)``.

    Notes
    -----
    Tao, Yi, Sheng, Pei and Li, "Logging every footstep: quantile summaries for the entire history", SIGMOD
    2010.
    """

    number: ClassVar[int] = 7
    family: ClassVar[str] = "history"
    aggregate: ClassVar[tuple[str, ...]] = ("history_sketch_agg", "value", "version")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, version_domain: Domain, chains: list[Chain]) -> None:
        super().__init__(header)
        self.version_domain = version_domain
        self._chains = chains

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        versions = Domain.read_time(r, "versions")
        chains: list[Chain] = []
        held = 0
        for _ in range(r.size(SMALLEST_CHAIN)):
            chains.append(Chain.read(r, header.domain))
            held += chains[-1].peak
            if held > MOST_LONG:
                raise corrupt("its count has more than 63 bits")
        return cls(header, versions, chains)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        self.version_domain.write(w)
        w.varint(len(self._chains))
        for chain in self._chains:
            chain.write(w)

    def elements(self) -> int:
        """Return how many values are there after the last version."""
        return sum(chain.end.count for chain in self._chains)

    @property
    def count(self) -> int:
        """Refused: each version has a count of its own."""
        raise spoken(Refusal("WHICH_VERSION"), "Sketch.count")

    @property
    def count_bounds(self) -> tuple[int, int]:
        """Refused as `count` is."""
        raise spoken(Refusal("WHICH_VERSION"), "Sketch.count_bounds")

    @property
    def held(self) -> int:
        """Elements that 63 bits must hold."""
        return sum(chain.peak for chain in self._chains)

    @property
    def is_empty(self) -> bool:
        """Whether it has no version."""
        return not self._chains

    @property
    def trees(self) -> int:
        """Over how many trees and logs the versions are spread."""
        return sum(len(chain.spans) for chain in self._chains)

    @property
    def clamped(self) -> int:
        """Deletes beyond what was there: they were left out."""
        return min(MOST_LONG, sum(chain.clamped for chain in self._chains))

    def tells(self) -> dict[str, Any]:
        """Return what `describe` says beside what all sketches tell."""
        return {"time_type": self.version_domain.sql, "trees": self.trees, "clamped": self.clamped}

    def refused(self, name: str) -> Refusal | None:
        """Return why a question that others answer can't be asked here."""
        refusal = super().refused(name)
        if name in ("count", "count_bounds") or (refusal is not None and name != "window"):
            return Refusal("WHICH_VERSION")
        return refusal

    @question
    def at_version(self, version: date | int) -> Version | None:
        """Return the sketch of one version: any question may be asked of it.

        Parameters
        ----------
        version : datetime, date or int
            Of the type of the history's versions. One between two that came is as the one before.

        Returns
        -------
        Version
            None of an empty history, which has no version. Its bytes are those of SQL's sketch_at_version.

        Raises
        ------
        ChronosketchError
            For a version of another type, one before the first or after the last, and a history merged from
            parts that have no version in common.
        """
        given = domain_of(version)
        if not self._chains:
            return None
        own = self.version_domain
        if given.widen(own) is None:
            hint = f"Give a version of that type, e.g. {example_of(own)}"
            raise Refusal("VERSION_TYPES_DIFFER", asked=given.sql, versions=own.sql, hint=hint)
        return self.at(key_of(version, given))

    def at(self, version: int) -> Version:
        """Return the sketch of one version by its key."""
        first, last = self.ends()
        if not first <= version <= last:
            texts = {name: self._text(key) for name, key in (("first", first), ("last", last))}
            raise Refusal("VERSION_OUT_OF_RANGE", asked=self._text(version), **texts)
        profile = EMPTY
        for chain in self._chains:
            profile = profile.plus(chain.profile(version, self.domain))
        return Version(self.header, profile)

    @question
    def versions(self, type: str | None = None) -> Versions:  # noqa: A002
        """Return the first and the last version, and the number of trees that the history consists of.

        Parameters
        ----------
        type : str, optional
            The SQL type of the versions: that of the history's when not given.

        Returns
        -------
        tuple of (first, last, trees)
            The first and the last of an empty history are None.

        Raises
        ------
        ChronosketchError
            If `type` cannot hold the versions, and for parts that have no version in common.
        """
        own = self.version_domain
        to = own if type is None else domain_named(type)
        if not self._chains:
            return Versions(None, None, 0)
        ends = self.ends()
        if not conversion.is_allowed(own, to):
            hint = f"Name that type: versions('{own.sql.lower()}')"
            raise Refusal("VERSION_TYPES_DIFFER", asked=to.sql, versions=own.sql, hint=hint)
        first, last = (value_of(conversion.convert(end, own, to), to) for end in ends)
        return Versions(first, last, self.trees)

    def ends(self) -> tuple[int, int]:
        """Return the versions that can be asked for, by their keys; refuse where there is none."""
        if not self._chains:
            raise Refusal("HISTORY_EMPTY")
        ended = min(self._chains, key=lambda chain: chain.last)
        begun = max(self._chains, key=lambda chain: chain.first)
        if begun.first > ended.last:
            raise Refusal(
                "HISTORIES_APART",
                first=self._text(ended.first),
                last=self._text(ended.last),
                count=ended.end.count,
                laterFirst=self._text(begun.first),
                laterLast=self._text(begun.last),
                laterCount=begun.start.count,
            )
        return min(chain.first for chain in self._chains), ended.last

    def _text(self, version: int) -> str:
        own = self.version_domain
        try:
            return str(value_of(version, own)) if own.holds(version) else str(version)
        except Refusal:
            return str(version)

    def require_alike(self, that: Self) -> None:
        """Refuse versions of types of which none holds both."""
        self.version_domain.widen_or_refuse(that.version_domain, self.built_with_second, "TIME_TYPES_DIFFER")

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union; histories of different elements add up, and one may go on with another."""
        versions = self.version_domain.widen_or_refuse(
            that.version_domain, self.built_with_second, "TIME_TYPES_DIFFER"
        )
        numbers = max(self.header.numbers, that.header.numbers)
        return type(self)(Header(wider, numbers), versions, joined(self._chains + that._chains))
