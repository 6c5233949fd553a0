"""Merge sketches that fit together."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.domain import Domain

S = TypeVar("S", bound="Sketch")


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
            raise TypeError(
                f"merge takes sketches, not {sketch!r:.60}. Sketch.from_bytes opens bytes, and "
                "Sketch.merge_all takes a list of sketches."
            )
        for first in (self._full or self._empty)[:1]:
            if not isinstance(sketch, first._kin()):
                raise Refusal("FAMILIES_DIFFER", left=first.family, right=sketch.family)
        if sketch.is_empty:
            self._empty.append(sketch)
            return
        domain = sketch.domain
        if self._domain is not None:
            first = self._full[0]
            if first._reduced_to(sketch) is not first:
                self._full = [one._reduced_to(sketch) for one in self._full]
            sketch, first = sketch._reduced_to(first), self._full[0]
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
        if hasattr(type(sketches), "_kin"):
            raise TypeError("merge_all takes a list of sketches, not one: Sketch.merge_all([sketch]).")
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
        if len(self._full) == 1:
            return self._full[0]
        first, *those = (_in_type(sketch, self._domain) for sketch in self._full)
        return first._unite(those, self._domain)


def common_type(union: Sketch, wider: Domain, domain: Domain) -> Domain:
    """Return the type of a union of values of two types. Refuse them if there is none."""
    return union._wider_type(wider, domain) or wider.widen_or_refuse(
        domain, union._built_of, can_cast=partial(_can_cast, union)
    )


def exact_type(like: Sketch, left: Domain, right: Domain) -> Domain | None:
    """Return the type that values of two types are cast to, exactly, in a union of sketches like this one."""
    wider = left.coerced(right)
    is_cast = wider is not None and all(_can_cast(like, one, wider) for one in (left, right))
    return wider if is_cast else None


def _can_cast(like: Sketch, given: Domain, to: Domain) -> bool:
    """Return whether values of one type can be cast to another in sketches like this one."""
    from chronosketch.sketch.domain.casting import cast_of

    cast = cast_of(given, to)
    return given.widen(to) == to or (cast is not None and like._cast_obstacle(cast) is None)


def _in_type(sketch: S, wider: Domain) -> S:
    """Return a sketch with its values in a type that holds all of them exactly."""
    if sketch.domain == wider or sketch.domain.widen(wider) == wider:
        return sketch
    from chronosketch.sketch.domain.casting import Cast

    return sketch._cast_by(Cast(sketch.domain, wider))


def built_of(sketch: Sketch, sql_type: str, place: int) -> str:
    """Write how SQL builds such a sketch, with the argument in a place cast to a type.

    Returns an empty text if no aggregate builds it.
    """
    if not sketch.aggregate:
        return ""
    function, *arguments = sketch.aggregate
    arguments[place - 1] = f"CAST({arguments[place - 1]} AS {sql_type})"
    numbers = zip(sketch.parameters, sketch.header.numbers, strict=True)
    arguments += [f"{p.name} => {p.text(n)}" for p, n in numbers if p not in sketch._fixed_parameters]
    return f"{function}({', '.join(arguments)})"


def cast_sketch(sketch: S, type_name: str) -> S:
    """Return a sketch with its values cast to a type, or refuse; see `Sketch.cast`."""
    from chronosketch.sketch.domain.casting import cast_of, no_cast, spark_casts
    from chronosketch.sketch.domain.type_names import domain_named

    given, to = sketch.domain, domain_named(type_name)
    if given == to:
        return sketch
    cast = cast_of(given, to)
    if cast is None:
        reason: str | None = no_cast(given, to)
    else:
        reason = sketch._cast_obstacle(cast)
    if cast is not None and reason is None:
        return sketch._cast_by(cast)
    call = sketch._built_of(to.sql) if spark_casts(given, to) else None
    raise Refusal(
        "NOT_CASTABLE",
        family=sketch.family,
        held=given.sql,
        asked=to.sql,
        reason=reason,
        fix=f"Build it again from cast values: {call}." if call else "Keep its type.",
    )
