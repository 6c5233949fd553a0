"""The base class of all stored sketches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from chronosketch.errors import ChronosketchError
from chronosketch.sketch import envelope
from chronosketch.sketch.description import Description
from chronosketch.sketch.envelope import Header, Stored
from chronosketch.sketch.families import by_number, families_answering, quantile_family
from chronosketch.sketch.refusal import Refusal, question, to_error
from chronosketch.sketch.union import Union, built_of, cast_sketch, exact_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Parameter
    from chronosketch.sketch.quantile.sketch import QuantileBased

S = TypeVar("S", bound="Sketch")


class Sketch(ABC):
    """A stored sketch of any family. It is immutable; `merge` returns a new one.

    A question that its family does not answer raises an error as in SQL, and `hasattr` is False for it.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch
    >>> s = Sketch.build(range(1, 101), epsilon=0.01)
    >>> s.quantile(0.5), s.bounds(0.99), s.count
    (50, (99, 99), 100)
    >>> Sketch.from_bytes(s.to_bytes()) == s
    True
    """

    #: The family: its number in stored bytes, its name in SQL, and its parameters.
    number: ClassVar[int]
    family: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    #: The SQL aggregate of its sketches and the arguments before the parameters: value, time.
    aggregate: ClassVar[tuple[str, ...]] = ()
    #: The parameters that the aggregate does not take as arguments.
    _fixed_parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __init__(self, header: Header) -> None:
        self.header = header

    @classmethod
    def _takes(cls, domain: Domain) -> bool:
        """Return whether the family supports this value type."""
        return True

    @classmethod
    @abstractmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote. Refuse invalid bytes."""

    @abstractmethod
    def write(self, w: Writer) -> None:
        """Write the payload."""

    def _unite(self, those: Sequence[Self], wider: Domain) -> Self:
        """Return the union with compatible sketches. `wider` is the type that holds the values of all."""
        union = self
        for that in those:
            union = union._united_with(that, wider)
        return union

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union with one compatible sketch."""
        raise NotImplementedError

    def _wider_type(self, left: Domain, right: Domain) -> Domain | None:
        """Return the type of a union of such sketches of two types, or None if they have no union."""
        return left.widen(right) or exact_type(self, left, right)

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why a cast of the values would break what the sketch promises, or None if it keeps all."""
        return None

    @abstractmethod
    def _cast_by(self, cast: Cast) -> Self:
        """Return a sketch of the same elements with their values cast. `_cast_obstacle` gave None."""

    def _require_alike(self, that: Self) -> None:  # noqa: B027
        """Refuse to merge if anything but the value type forbids it."""

    def _elements(self) -> int:
        """Return the count that `describe` shows."""
        return self.count

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `Description` that only this family has."""
        return {}

    # --- public methods

    @classmethod
    @question
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Read a sketch from its bytes. `Sketch` reads any family, a subclass only its own.

        Parameters
        ----------
        data : bytes, bytearray or memoryview
            The content of a BINARY column of Spark, or of a file.

        Returns
        -------
        Sketch
            An instance of its family's class.

        Raises
        ------
        ChronosketchError
            If the bytes are not a sketch, incomplete, damaged or, for a subclass, of another family. No other
            error is raised for any bytes, and the memory that is used is limited by their length.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.from_bytes(Sketch.build([3, 1, 2]).to_bytes()).quantile(0.5)
        2
        """
        data = envelope.checked(data)
        number = envelope.family_of(data)
        kind: type[Sketch] | None = by_number(number)
        if kind is None:
            raise Refusal("UNKNOWN_FAMILY", id=number)
        if not issubclass(kind, cls):
            raise ChronosketchError(
                f"{cls.__name__}.from_bytes was given a sketch of the family {kind.family}. "
                "Sketch.from_bytes reads every family."
            )
        header, r = envelope.payload_of(data, kind._stored())
        sketch = kind.read(header, r)
        r.require_end()
        return sketch

    @classmethod
    @question
    def build(
        cls,
        values: Iterable[object],
        epsilon: float = 1e-3,
        type: str | None = None,  # noqa: A002
        frequency: Iterable[int | None] | None = None,
        tail: str | None = None,
        sum: bool = False,  # noqa: A002
    ) -> QuantileBased:
        """Build a quantile sketch of some values.

        Parameters
        ----------
        values : iterable
            Numbers, dates, datetimes, times or timedeltas of one type: a list, a numpy or Arrow array, or a
            pandas or Polars series. None, NaT, pandas' NA and masked elements are skipped, and so is NaN in a
            pandas series. Elsewhere NaN is a value, the greatest.
        epsilon : float, default 0.001
            The allowed rank error, as a share of the count, from 0 to 0.5. 0 keeps every value.
        type : str, optional
            The SQL type of the sketch, such as ``"decimal(10, 2)"``; by default that of the values.
            `chronosketch.sketch.domain.columns` has the rule.
        frequency : iterable of int, optional
            How often each value counts. Values with 0 or None are skipped.
        tail : {'high', 'low', 'both'}, optional
            Near this end of the values epsilon is a share of the values from there on only.
        sum : bool, default False
            Whether the sketch also keeps sums, for `sum`, `mean` and other moments. Values must be numbers.

        Returns
        -------
        QuantileSketch, or TailSketch if there is a tail, or SummedSketch with sums
            A sketch that Spark can query, and merge with its own.

        Raises
        ------
        ChronosketchError
            If an argument is out of range, or the values have no supported or not one common type.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build([0.1, 0.2, None], type="float").describe().value_type
        'FLOAT'
        >>> Sketch.build([10, 20], frequency=[3, 1]).quantile([0.75, 1])
        [10, 20]
        >>> Sketch.build([10, 20, 60], sum=True).mean()
        30.0
        """
        if cls is not Sketch:
            maker = f", by {cls.aggregate[0]}" if cls.aggregate else ""
            raise ChronosketchError(
                f"{cls.__name__} has no build: sketches of the family {cls.family} are built in SQL{maker}."
            )
        return quantile_family(tail, sum).build(values, epsilon, type, frequency)  # type: ignore[no-any-return]

    @question
    def to_bytes(self) -> bytes:
        """Return the stored bytes, which Spark reads. Those of a sketch that was read are the same as before.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build([1, 2]).to_bytes()[:4]
        b'CHRS'
        """
        return self._sealed()

    @property
    def value_type(self) -> str:
        """The SQL type of the values."""
        return self.domain.sql

    @property
    def domain(self) -> Domain:
        """The type of the values."""
        return self.header.domain

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of values; if that is uncertain, an estimate within `count_bounds`."""

    @property
    def count_bounds(self) -> tuple[int, int]:
        """A lower and an upper bound of the number of values."""
        return self.count, self.count

    @question
    def merge(self, *others: Sketch) -> Self:
        """Return the union with other sketches of the same family.

        Parameters
        ----------
        *others : Sketch
            Sketches of the same family, with compatible parameters and value types.
            An empty sketch merges with any other of its family; the union has the other's parameters.

        Returns
        -------
        Sketch
            A sketch of all values, which certifies its own error. The sketches themselves do not change.

        Raises
        ------
        ChronosketchError
            If families, types or parameters are not compatible, or the count exceeds 63 bits.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build([1, 2]).merge(Sketch.build([3]), Sketch.build([4, 5])).quantile(1)
        5
        """
        return cast("Self", Union.of([self, *others]))

    @staticmethod
    @question
    def merge_all(sketches: Iterable[S]) -> S:
        """Return the union of many sketches of one family, as `merge` does. It takes all at once.

        Parameters
        ----------
        sketches : iterable of Sketch
            At least one sketch. All are of one family, with compatible parameters and value types.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.merge_all([Sketch.build([day, day + 1]) for day in range(100)]).count
        200
        """
        return cast("S", Union.of(sketches))

    @question
    def cast(self, type: str) -> Self:  # noqa: A002
        """Return the sketch with its values cast to another type. All certified bounds of ranks stay true.

        Parameters
        ----------
        type : str
            The SQL type that the values get, such as ``"decimal(10, 2)"``. Numbers become numbers of any
            type, rounded as CAST does: whole numbers lose their fraction, decimals are rounded. DATE and
            TIMESTAMP_NTZ become one another, and intervals and times get other fields and digits.

        Raises
        ------
        ChronosketchError
            If a value is not in the range of the type, no cast keeps the order of the values, or the family
            can't keep its promise: a ddsketch of decimals would leave its bins, and sums don't tell what
            rounding would change.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build([1, 2, 3]).cast("double").merge(Sketch.build([2.5])).quantile([0.5, 1])
        [2.0, 3.0]
        >>> Sketch.build([1.25, -0.5]).cast("int").quantile([0, 1])
        [0, 1]
        """
        return cast_sketch(self, type)

    @question
    def describe(self) -> Description:
        """Return what the sketch is: family, type, parameters, count, bytes, error.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> d = Sketch.build(range(100), epsilon=0.1).describe()
        >>> d.family, d.value_type, d.parameters, d.count
        ('quantile sketch', 'BIGINT', {'epsilon': 0.1}, 100)
        """
        common = Description(
            family=self.family,
            format=envelope.FORMAT_VERSION,
            value_type=self.domain.sql,
            parameters={p.name: n for p, n in zip(self.parameters, self.header.numbers, strict=True)},
            count=self._elements(),
            bytes=len(self._sealed()),
        )
        return replace(common, **self._description_fields())

    # ---

    @classmethod
    def _stored(cls) -> Stored:
        """Return the family's properties that the header of stored bytes is checked against."""
        return Stored(cls.number, cls.family, cls.parameters, cls._takes)

    def _sealed(self) -> bytes:
        """Return the stored bytes."""
        return envelope.seal(self._stored(), self.header, self.write)

    @classmethod
    def _kin(cls) -> type[Sketch]:
        """Return the class of sketches beside which an empty one of this class can stand in a union."""
        return cls

    def _reduced_to(self, other: Sketch) -> Sketch:
        """Return this sketch without what those of a related class lack, for a union with one of them."""
        return self

    def _built_of(self, sql_type: str, place: int = 1) -> str:
        """Write how SQL builds such a sketch, its value, or the argument in a place, cast to a type."""
        return built_of(self, sql_type, place)

    def _built_with_second(self, sql_type: str) -> str:
        """Write the same, with the time, or another second argument, cast to a type."""
        return self._built_of(sql_type, place=2)

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self.count

    @property
    def is_empty(self) -> bool:
        """Whether it has seen no value: a union takes nothing from it, not even its parameters."""
        return self._held == 0

    def _refused(self, name: str) -> Refusal | None:
        """Return the error for a question that only other families answer, or None if none does."""
        able = [] if hasattr(Sketch, name) else families_answering(name)
        if not able:
            return None
        return Refusal("QUESTION_NOT_ANSWERED", family=self.family, able=", ".join(able))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            refusal = None if name.startswith("_") else self._refused(name)
            if refusal is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise to_error(refusal, f"Sketch.{name}")

    else:

        def __getattr__(self, name: str) -> Any:
            """Declare, for type checkers, that any question may be asked of the result of `from_bytes`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sketch) and self._sealed() == other._sealed()

    def __hash__(self) -> int:
        return hash(self._sealed())

    def __repr__(self) -> str:
        return f"<{self.family} of {self.domain.sql}, count {self._elements()}>"
