"""The aggregates, as functions of the Arrow arrays of one group, with the names and arguments of SQL."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch import arrow
from chronosketch.portable.forms import Form, constant, value_type
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.ddsketch.sketch import DDSketch
from chronosketch.sketch.domain.domain import MOST_DIGITS
from chronosketch.sketch.moments.building import moments_of
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.sketch.quantile.sketch import QuantileBased

# The defaults of SQL: of epsilon for sketches and for answers at once, and of alpha.
_SKETCH_EPSILON = 1e-3
_ANSWER_EPSILON = 1e-4
_ALPHA = 0.01


def quantile_sketch_agg(
    value: Any,
    epsilon: Any = None,
    frequency: Any = None,
    tail: Any = None,
    sum: Any = None,  # noqa: A002
) -> bytes:
    """Return a quantile sketch of the values."""
    return _built(value, epsilon, _SKETCH_EPSILON, frequency, tail, sum).to_bytes()


def ddsketch_agg(value: Any, alpha: Any = None, frequency: Any = None) -> bytes:
    """Return a DDSketch of the values."""
    allowed = constant(alpha, "alpha")
    allowed = _ALPHA if allowed is None else allowed
    return DDSketch.build(_narrow(value), allowed, frequency=_given(frequency)).to_bytes()


def moments_agg(value: Any, frequency: Any = None) -> bytes:
    """Return a moments sketch of the values."""
    return moments_of(_narrow(value), _given(frequency)).to_bytes()


def sketch_merge_agg(sketch: Any) -> bytes | None:
    """Return the union of the sketches, or None if there is none."""
    return arrow.merge(sketch)


def approx_quantile(
    form: Form,
    value: Any,
    phi: Any,
    epsilon: Any = None,
    frequency: Any = None,
    interpolation: Any = None,
    tail: Any = None,
) -> Any:
    """Return the φ-quantile of the values."""
    return _quantile(form, _read_quantile, value, phi, epsilon, frequency, interpolation, tail)


def approx_quantile_bounds(
    form: Form,
    value: Any,
    phi: Any,
    epsilon: Any = None,
    frequency: Any = None,
    interpolation: Any = None,
    tail: Any = None,
) -> Any:
    """Return bounds of the φ-quantile of the values."""
    return _quantile(form, _read_bounds, value, phi, epsilon, frequency, interpolation, tail)


def _quantile(
    form: Form,
    read: Callable[[Any, Any, str], Any],
    value: Any,
    phi: Any,
    epsilon: Any,
    frequency: Any,
    interpolation: Any,
    tail: Any,
) -> Any:
    form.require_nearest(interpolation)
    form.require_phi(phi)
    share = constant(phi, "phi")
    if share is None:
        return None
    built = _built(value, epsilon, _ANSWER_EPSILON, frequency, tail)
    return None if built.count == 0 else read(built, share, form.type)


def _built(
    value: Any,
    epsilon: Any,
    default: float,
    frequency: Any,
    tail: Any,
    sum: Any = None,  # noqa: A002
) -> QuantileBased:
    """Return a quantile sketch of the values."""
    allowed = constant(epsilon, "epsilon")
    named = constant(tail, "tail")
    keeps = constant(sum, "sum")
    return Sketch.build(
        _narrow(value),
        default if allowed is None else allowed,
        frequency=_given(frequency),
        tail=None if named is None else named.lower(),
        sum=False if keeps is None else keeps,
    )


def _read_quantile(sketch: Any, share: Any, type_name: str) -> Any:
    answer = sketch.quantile(share, type_name)
    return answer if isinstance(share, list) else pa.scalar(answer, value_type(type_name))


def _read_bounds(sketch: Any, share: Any, type_name: str) -> Any:
    answer = sketch.bounds(share, type_name)
    pairs = answer if isinstance(share, list) else [answer]
    named = [{"low": low, "high": high} for low, high in pairs]
    return named if isinstance(share, list) else named[0]


def _narrow(column: Any) -> Any:
    """Return values. Refuse decimals of more digits than a sketch has, as SQL does with the jar."""
    kind = column.type
    if pa.types.is_decimal(kind) and kind.precision > MOST_DIGITS:
        raise Refusal(
            "UNSUPPORTED_TYPE",
            types=f"a DECIMAL of at most {MOST_DIGITS} digits",
            argument="value",
            sql="value",
            type=f"DECIMAL({kind.precision},{kind.scale})",
            hint=f"CAST(value AS DECIMAL({MOST_DIGITS},{min(kind.scale, MOST_DIGITS)})) has fewer.",
        )
    return column


def _given(column: Any) -> Any:
    """Return an argument, or None if it is NULL everywhere because it was not given."""
    if column is None or (isinstance(column, pa.Array) and pa.types.is_null(column.type)):
        return None
    return column


#: The aggregates whose answers have a type of their own: they take a `Form` first.
TYPED: dict[str, Callable[..., Any]] = {
    "approx_quantile": approx_quantile,
    "approx_quantile_bounds": approx_quantile_bounds,
}

#: The others, which return a BINARY.
PLAIN: dict[str, Callable[..., Any]] = {
    "quantile_sketch_agg": quantile_sketch_agg,
    "ddsketch_agg": ddsketch_agg,
    "moments_agg": moments_agg,
    "sketch_merge_agg": sketch_merge_agg,
}


def typed(form: Form) -> Callable[..., Any]:
    """Return the aggregate of a form."""
    return partial(TYPED[form.function], form)
