"""The history sketch: the values that were alive at any past version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.description import Versions
from chronosketch.sketch.domain import conversion
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import domain_of, example_of, key_of, value_of
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.history.chain import SMALLEST_CHAIN, Chain, joined
from chronosketch.sketch.profiled import Profiled
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.rank import EMPTY, RankProfile
from chronosketch.sketch.refusal import Refusal, question, to_error

if TYPE_CHECKING:
    from datetime import date

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.envelope import Parameter


class Version(Profiled):
    """The values that were alive at one version."""

    number: ClassVar[int] = 8
    family: ClassVar[str] = "version"
    aggregate: ClassVar[tuple[str, ...]] = ("history_sketch_agg", "value", "version")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, profile: RankProfile) -> None:
        # counts above a key follow from the others
        super().__init__(
            header,
            RankProfile.between(
                profile.keys,
                profile.at_most_low,
                profile.at_most_high,
                profile.count_low,
                profile.count_high,
            ),
        )

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        return type(self)(Header(cast.to, self.header.numbers), self._cast_profile(cast)[0])

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union of both. The larger epsilon counts."""
        numbers = max(self.header.numbers, that.header.numbers)
        return type(self)(Header(wider, numbers), self._profile.plus(that._profile))


class History(Sketch):
    """A sketch by history_sketch_agg: any past version of changing values.

    Questions are asked of one version, as in ``history.at_version(7)``.

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

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the counters can't be those of the cast values, or None if there are none."""
        if not self._chains:
            return None
        return "its counters divide values by their keys. Take a version and cast that: history.at_version(7)"

    def _cast_by(self, cast: Cast) -> Self:
        """Return the empty history of the type."""
        return type(self)(Header(cast.to, self.header.numbers), self.version_domain, [])

    def _elements(self) -> int:
        """Return the number of values after the last version."""
        return sum(chain.end.count for chain in self._chains)

    @property
    def count(self) -> int:
        """Refused, because each version has its own count."""
        raise to_error(Refusal("WHICH_VERSION"), "Sketch.count")

    @property
    def count_bounds(self) -> tuple[int, int]:
        """Refused, like `count`."""
        raise to_error(Refusal("WHICH_VERSION"), "Sketch.count_bounds")

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return sum(chain.peak for chain in self._chains)

    @property
    def is_empty(self) -> bool:
        """Whether it has no version."""
        return not self._chains

    @property
    def trees(self) -> int:
        """The number of trees and logs that hold the versions."""
        return sum(len(chain.spans) for chain in self._chains)

    @property
    def clamped(self) -> int:
        """The number of deletes that were ignored because their values were not alive."""
        return min(MOST_LONG, sum(chain.clamped for chain in self._chains))

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {"time_type": self.version_domain.sql, "trees": self.trees, "clamped": self.clamped}

    def _refused(self, name: str) -> Refusal | None:
        """Return the error for a question that can only be asked of a version."""
        refusal = super()._refused(name)
        if name in ("count", "count_bounds") or (refusal is not None and name != "window"):
            return Refusal("WHICH_VERSION")
        return refusal

    @question
    def at_version(self, version: date | int) -> Version | None:
        """Return the sketch of one version, which answers questions.

        Parameters
        ----------
        version : datetime, date or int
            A version of the history's version type. A version without changes is the same as the one before.

        Returns
        -------
        Version
            None for an empty history. The bytes are those of SQL's sketch_at_version.

        Raises
        ------
        ChronosketchError
            For a version of another type, before the first or after the last, and for a history that was
            merged from parts without a common version.
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
        """Return the sketch of one version, given by its key."""
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
            The SQL type of the versions; by default that of the history.

        Returns
        -------
        tuple of (first, last, trees)
            The versions of an empty history are None.

        Raises
        ------
        ChronosketchError
            If `type` cannot hold the versions, and for parts without a common version.
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
        """Return the keys of the first and last version that can be asked for. Refuse if there is none."""
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

    def _require_alike(self, that: Self) -> None:
        """Refuse version types without a common type."""
        self.version_domain.widen_or_refuse(that.version_domain, self._built_with_second, "TIME_TYPES_DIFFER")

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. Histories of different elements add up, and one may continue another."""
        versions = self.version_domain.widen_or_refuse(
            that.version_domain, self._built_with_second, "TIME_TYPES_DIFFER"
        )
        numbers = max(self.header.numbers, that.header.numbers)
        return type(self)(Header(wider, numbers), versions, joined(self._chains + that._chains))
