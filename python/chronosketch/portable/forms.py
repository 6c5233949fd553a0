"""The type of a function's answers, which a Python function in SQL has to declare before it sees a sketch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch.arrow.typed import type_of
from chronosketch.errors import ChronosketchError
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.refusal import Refusal, SketchError, refusing_as, to_error

if TYPE_CHECKING:
    from collections.abc import Callable

# The functions that take a φ. They answer an array of φ with an array.
_BY_PHI = (
    *("sketch_quantile", "sketch_quantile_bounds", "approx_quantile", "approx_quantile_bounds"),
    *("sketch_quantile_interval", "sketch_quantile_difference"),
)

# The answers that are a STRUCT; {} is the type of the form.
_STRUCTS = {
    "sketch_quantile_bounds": "struct<low: {0}, high: {0}>",
    "approx_quantile_bounds": "struct<low: {0}, high: {0}>",
    "sketch_ks": "struct<distance: double, low: double, high: double, at: {0}>",
    "sketch_quantile_interval": "struct<value: {0}, low: {0}, high: {0}>",
    "sketch_quantile_difference": "struct<value: double, low: double, high: double, p_value: double>",
}

# The functions that `chronosketch.portable` also has for DataFrames, with a type of your choice.
_IN_PYTHON = ("sketch_quantile", "sketch_quantile_bounds", "sketch_min", "sketch_max", "approx_quantile")


@dataclass(frozen=True)
class Form:
    """A function with the type that its answers have.

    Attributes
    ----------
    function : str
        The name of the SQL function.
    type : str
        The SQL type of one answer.
    several : bool
        Whether φ is an array, and the answer an array of the same length.
    """

    function: str
    type: str = "double"
    several: bool = False

    @staticmethod
    def of(function: str, type_name: str, *, several: bool = False) -> Form:
        """Return a form. Refuse a type that does not exist, and several answers of a function of one."""

        @refusing_as(function)
        def named() -> str:
            return domain_named(type_name).sql.lower()

        if several and function not in _BY_PHI:
            raise ChronosketchError(f"{function} takes no phi, so it has no several answers.")
        return Form(function, named(), several)

    @property
    def returns(self) -> str:
        """The SQL type of the result."""
        one = _STRUCTS.get(self.function, "{0}").format(self.type)
        return f"array<{one}>" if self.several or self.function == "sketch_sample" else one

    def require_type(self, given: Any) -> None:
        """Refuse the name of another type than that of the answers."""
        name = constant(given, "type")
        if name is None or _same(name, self.type):
            return
        raise ChronosketchError(
            f"{self.function} was asked for {name.upper()} values, but without the jar it returns "
            f"{self.type.upper()} in SQL: a Python function has one type. {self._others(name)}"
        )

    def require_phi(self, phi: Any) -> None:
        """Refuse one φ for a form with several, and several for a form with one."""
        if pa.types.is_null(phi.type) or is_list(phi.type) == self.several:
            return
        if self.several:
            raise ChronosketchError(f"{self.function} was defined for several phi here: write array(0.5).")
        column = _column(self.function)
        raise ChronosketchError(
            f"{self.function} takes one phi in SQL without the jar: a Python function has one type. "
            f"Write array({self.function}({column}, 0.5), {self.function}({column}, 0.99)). "
            f"{self._others(self.type, several=True)}"
        )

    def require_nearest(self, interpolation: Any) -> None:
        """Refuse answers between two values, which only the JVM computes."""
        word = constant(interpolation, "interpolation")
        if word not in (None, "nearest"):
            raise ChronosketchError(
                f"{self.function} with interpolation => '{word}' needs the jar. Without it, answers are "
                "values of the data: leave interpolation out."
            )

    def _others(self, type_name: str, *, several: bool = False) -> str:
        """Write what to call in Python, and how to make a SQL function of another type."""
        phi = "" if self.function not in _BY_PHI else ", [0.5, 0.99]" if several else ", 0.5"
        named = "" if type_name == "double" else f", type='{type_name}'"
        more = named + (", several=True" if several else "")
        name = f"{self.function}s" if several else _name_of(self.function, type_name)
        made = f"cs.portable.define(spark, '{name}', '{self.function}'{more})."
        if self.function not in _IN_PYTHON:
            return f"Make a function of that type: {made}"
        call = f"cs.portable.{self.function}('{_column(self.function)}'{phi}{named})"
        return f"In Python: {call}. For SQL, make a function of that type: {made}"


def constant(given: Any, name: str) -> Any:
    """Return the value of an argument that is the same for all rows; None if it is not given."""
    if given is None or not isinstance(given, pa.Array):
        return given
    if given.null_count == len(given):
        return None
    first = given[0].as_py()
    if len(given) > 1 and any(value != first for value in _distinct(given)):
        raise ChronosketchError(f"{name} must be the same for all rows, but there are {first!r} and others.")
    return first


def _distinct(given: Any) -> list[Any]:
    values: list[Any] = (given if pa.types.is_nested(given.type) else given.unique()).to_pylist()
    return values


def value_type(name: str) -> Any:
    """Return the Arrow type of a SQL type."""
    return type_of(domain_named(name))


def _same(name: str, declared: str) -> bool:
    @refusing_as("type")
    def named() -> bool:
        return domain_named(name) == domain_named(declared)

    return named()


def is_list(kind: Any) -> bool:
    """Return whether a type is one of lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def naming(name: str, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose refusals carry the name of the SQL function."""

    def named(*given: Any, **by_name: Any) -> Any:
        try:
            return answer(*given, **by_name)
        except (Refusal, SketchError) as error:
            raise renamed(error, name) from None

    named.__name__ = named.__qualname__ = name
    return named


def renamed(error: Refusal | SketchError, name: str) -> SketchError:
    """Return an error as one of the function with this name. The call that it shows runs in Python."""
    if isinstance(error, Refusal):
        return to_error(error, name)
    parameters = {**error.parameters, "function": name}
    if "call" in parameters:
        _, _, arguments = parameters["call"].partition("(")
        first, comma, rest = arguments.partition(", ")
        rest = rest if first in ("column", "sketch") else f"{first}{comma}{rest}"
        parameters["call"] = _call(name, rest)
    return SketchError(error.condition, parameters)


def _call(name: str, arguments: str) -> str:
    """Write a call with these arguments. The last one is the name of a type."""
    before, _, type_name = arguments.removesuffix("')").rpartition("'")
    if name not in _IN_PYTHON:
        return f"cs.portable.define(spark, '{_name_of(name, type_name)}', '{name}', type='{type_name}')"
    named = "type=" if name.startswith("approx") else ""
    return f"cs.portable.{name}('{_column(name)}', {before}{named}'{type_name}')"


def _column(function: str) -> str:
    """Return a name for the columns that a function takes: values of an aggregate, or sketches."""
    if function == "sketch_quantile_difference":
        return "a, b"
    return "v" if function.startswith("approx") else "s"


def _name_of(function: str, type_name: str) -> str:
    word = "".join(letter if letter.isalnum() else "_" for letter in type_name.lower()).strip("_")
    return f"{function}_{word}"
