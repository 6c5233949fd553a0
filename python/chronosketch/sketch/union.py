"""Merge sketches that fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.domain import Domain


class Union:
    """Collects sketches that fit together, and merges them all at once.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch
    >>> from chronosketch.sketch.union import Union
    >>> union = Union()
    >>> union.add(Sketch.build([1, 2]))
    >>> union.result().count
    2
    """

    def __init__(self) -> None:
        self._full: list[Sketch] = []
        self._empty: list[Sketch] = []
        self._domain: Domain | None = None
        self._count = 0

    def add(self, sketch: Sketch) -> None:
        """Add a sketch. Refuse one that does not fit to those before it."""
        if not hasattr(type(sketch), "_kin"):
            raise TypeError(f"merge takes sketches, not {sketch!r}: Sketch.from_bytes opens bytes.")
        for first in (self._full or self._empty)[:1]:
            if not isinstance(sketch, first._kin()):
                raise Refusal("FAMILIES_DIFFER", left=first.family, right=sketch.family)
        if sketch.is_empty:
            self._empty.append(sketch)
            return
        domain = sketch.domain
        if self._domain is not None:
            first = self._full[0]
            if not isinstance(sketch, type(first)):
                raise Refusal("FAMILIES_DIFFER", left=first.family, right=sketch.family)
            domain = common_type(first, self._domain, domain)
            first._require_alike(sketch)
        if self._count + sketch._held > MOST_LONG:
            raise Refusal("COUNT_OVERFLOW", limit=MOST_LONG)
        self._domain = domain
        self._count += sketch._held
        self._full.append(sketch)

    @staticmethod
    def of(sketches: Iterable[Sketch]) -> Sketch:
        """Return the union of sketches of one family."""
        union = Union()
        for sketch in sketches:
            union.add(sketch)
        return union.result()

    def result(self) -> Sketch:
        """Return the union."""
        if self._domain is None:
            if not self._empty:
                raise ValueError("there is no sketch to merge.")
            return min(self._empty, key=lambda sketch: sketch._sealed())
        first, *those = self._full
        return first._unite(those, self._domain) if those else first


def common_type(union: Sketch, wider: Domain, domain: Domain) -> Domain:
    """Return the type of a union of values of two types. Refuse them if there is none."""
    return union._wider_type(wider, domain) or wider.widen_or_refuse(domain, union._built_of)
