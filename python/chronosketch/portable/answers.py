"""The questions to sketches, as functions of Arrow arrays with the names and arguments of SQL.

Each takes one array for each argument, all of one length, and returns an array of that length. An argument
that is not given is None or an array of NULLs.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from chronosketch import arrow
from chronosketch.errors import ChronosketchError
from chronosketch.portable import comparing
from chronosketch.portable.asking import as_list, by_value, each_row, nulls
from chronosketch.portable.forms import Form, constant, is_list, value_type
from chronosketch.sketch.description import ShareBounds

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMED_ANSWER = pa.struct(
    [
        pa.field("phi", pa.float64()),
        pa.field("method", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("need", pa.int64()),
        pa.field("reached", pa.int64()),
        pa.field("bursty", pa.bool_()),
        pa.field("bound", pa.float64()),
    ]
)
_DESCRIPTION = pa.struct(
    [
        pa.field("family", pa.string()),
        pa.field("format", pa.int32()),
        pa.field("value_type", pa.string()),
        pa.field("parameters", pa.map_(pa.string(), pa.float64())),
        pa.field("count", pa.int64()),
        pa.field("bytes", pa.int32()),
        pa.field("error", pa.float64()),
        pa.field("exact", pa.bool_()),
        pa.field("time_type", pa.string()),
        pa.field("retention", pa.string()),
        pa.field("filters", pa.list_(pa.string())),
        pa.field("panes", pa.int32()),
        pa.field("answers", pa.list_(_NAMED_ANSWER)),
        pa.field("trees", pa.int32()),
        pa.field("clamped", pa.int64()),
        pa.field("confidence", pa.float64()),
        pa.field("kept", pa.int64()),
    ]
)
_RANKS = pa.struct([pa.field("low", pa.int64()), pa.field("high", pa.int64())])
_SHARES = pa.struct([pa.field(name, pa.float64()) for name in ShareBounds._fields])
_MOMENT = pa.struct([pa.field(name, pa.float64()) for name in ("value", "lower", "upper")])


def sketch_quantile(form: Form, sketch: Any, phi: Any, type: Any = None, interpolation: Any = None) -> Any:  # noqa: A002
    """Return the φ-quantiles."""
    return _quantiles(arrow.quantile, form, sketch, phi, type, interpolation)


def sketch_quantile_bounds(
    form: Form,
    sketch: Any,
    phi: Any,
    type: Any = None,  # noqa: A002
    interpolation: Any = None,
) -> Any:
    """Return lower and upper bounds of the φ-quantiles."""
    return _quantiles(arrow.bounds, form, sketch, phi, type, interpolation)


def _quantiles(
    answer: Callable[..., Any], form: Form, sketch: Any, phi: Any, type_name: Any, interpolation: Any
) -> Any:
    form.require_type(type_name)
    form.require_nearest(interpolation)
    form.require_phi(phi)

    def of_one(column: Any, share: Any) -> Any:
        found = answer(column, share, form.type)
        return as_list(found) if form.several else found

    return by_value(sketch, phi, of_one, lambda: of_one(nulls(0), [0.5] if form.several else 0.5).type)


def sketch_min(form: Form, sketch: Any, type: Any = None) -> Any:  # noqa: A002
    """Return the least values."""
    form.require_type(type)
    return arrow.min(sketch, form.type)


def sketch_max(form: Form, sketch: Any, type: Any = None) -> Any:  # noqa: A002
    """Return the greatest values."""
    form.require_type(type)
    return arrow.max(sketch, form.type)


def sketch_sample(form: Form, sketch: Any, type: Any = None) -> Any:  # noqa: A002
    """Return the values of samples."""
    form.require_type(type)
    return each_row(pa.list_(value_type(form.type)), lambda one: one.sample(form.type), sketch)


def sketch_rank(sketch: Any, value: Any) -> Any:
    """Return how many values are at or below a value."""
    return by_value(sketch, value, arrow.rank, pa.int64)


def sketch_rank_bounds(sketch: Any, value: Any) -> Any:
    """Return bounds of how many values are at or below a value."""
    return each_row(_RANKS, lambda one, place: _pair(one.rank_bounds(place)), sketch, value)


def sketch_cdf(sketch: Any, points: Any) -> Any:
    """Return the shares of the values at or below each point."""
    _require_several("sketch_cdf", points)
    return each_row(pa.list_(pa.float64()), lambda one, these: one.cdf(these), sketch, points)


def sketch_cdf_bounds(sketch: Any, points: Any) -> Any:
    """Return the shares of the values at or below each point, and bounds of the exact shares."""
    _require_several("sketch_cdf_bounds", points)
    return each_row(pa.list_(_SHARES), lambda one, these: _shares(one.cdf_bounds(these)), sketch, points)


def _require_several(name: str, points: Any) -> None:
    """Refuse one point: the function has the type of several answers."""
    if not pa.types.is_null(points.type) and not is_list(points.type):
        raise ChronosketchError(
            f"{name} takes several points in SQL without the jar: a Python function has one type. Write "
            f"{name}(s, array(250))[0]."
        )


def sketch_pmf(sketch: Any, points: Any) -> Any:
    """Return the shares of the values between the points."""
    return each_row(pa.list_(pa.float64()), lambda one, these: one.pmf(_several(these)), sketch, points)


def sketch_count(sketch: Any) -> Any:
    """Return the number of values."""
    return arrow.count(sketch)


def sketch_count_bounds(sketch: Any) -> Any:
    """Return bounds of the number of values."""
    return each_row(_RANKS, lambda one: _pair(one.count_bounds), sketch)


def sketch_rank_error(sketch: Any) -> Any:
    """Return the certified rank errors."""
    return arrow.rank_error(sketch)


def is_sketch(binary: Any) -> Any:
    """Return which rows are sketches."""
    return arrow.is_sketch(binary)


def sketch_describe(sketch: Any) -> Any:
    """Return the descriptions."""
    return each_row(_DESCRIPTION, lambda one: _described(one.describe()), sketch)


def sketch_to_kll(sketch: Any, k: Any = None) -> Any:
    """Return the sketches as KLL sketches."""
    return arrow.to_kll(sketch, constant(k, "k"))


def sketch_merge(left: Any, right: Any) -> Any:
    """Return the union of each two sketches."""
    here = np.flatnonzero(pc.and_(left.is_valid(), right.is_valid()).to_numpy(zero_copy_only=False))
    if not len(here):
        return nulls(len(left))
    pairs = pa.concat_arrays([side.take(pa.array(here)).cast(pa.binary()) for side in (left, right)])
    united = arrow.merge_by(pa.array(np.tile(here, 2)), pairs)["sketch"].combine_chunks()
    places = np.full(len(left), -1)
    places[here] = np.arange(len(here))
    return _whole(united).cast(pa.binary()).take(pa.array(places, mask=places < 0))


def sketch_merge_or(left: Any, right: Any) -> Any:
    """Return the union of each two sketches, or the one that is not NULL."""
    if not len(left):
        return nulls(0)
    rows = np.tile(np.arange(len(left)), 2)
    sides = pa.concat_arrays([side.cast(pa.binary()) for side in (left, right)])
    return _whole(arrow.merge_by(pa.array(rows), sides)["sketch"]).cast(pa.binary())


def sketch_cast(sketch: Any, type: Any) -> Any:  # noqa: A002
    """Return the sketches as sketches of values of another type."""
    name = constant(type, "type")
    if not isinstance(name, str) and len(sketch):
        raise ChronosketchError("sketch_cast was given no type: write sketch_cast(s, 'double').")
    return each_row(pa.binary(), lambda one: one.cast(name).to_bytes(), sketch)


def sketch_window(sketch: Any, window: Any, as_of: Any = None) -> Any:
    """Return one window of each window sketch."""
    span = constant(window, "window")
    if span is None and len(sketch):
        raise ChronosketchError("sketch_window was given no window: write sketch_window(s, '10 minutes').")
    # a bare NULL has a type of its own; a column whose values are NULL has another
    if as_of is None or pa.types.is_null(as_of.type):
        return each_row(pa.binary(), lambda one: one.window(span).to_bytes(), sketch)
    return each_row(pa.binary(), lambda one, end: one.window(span, end).to_bytes(), sketch, as_of)


def sketch_at_version(sketch: Any, version: Any) -> Any:
    """Return one version of each history."""

    def of_one(one: Any, at: Any) -> bytes | None:
        found = one.at_version(at)
        return None if found is None else bytes(found.to_bytes())

    return each_row(pa.binary(), of_one, sketch, version)


def sketch_moment_bounds(sketch: Any, moment: Any) -> Any:
    """Return a moment and its bounds."""
    return each_row(_MOMENT, lambda one, name: _moment(one.moment_bounds(name)), sketch, moment)


def moment(method: str) -> Callable[..., Any]:
    """Return the function that asks each sketch for one number."""

    def of_all(sketch: Any) -> Any:
        return each_row(pa.float64(), lambda one: getattr(one, method)(), sketch)

    return of_all


def moment_of_rows(method: str) -> Callable[..., Any]:
    """Return the same for a number that depends on whether the rows are the whole population."""

    def of_all(sketch: Any, population: Any = None) -> Any:
        whole = constant(population, "population")
        if whole not in (None, True, False):
            raise ChronosketchError(f"population is {whole!r}: write true or false.")
        return each_row(pa.float64(), lambda one: getattr(one, method)(bool(whole)), sketch)

    return of_all


def _whole(column: Any) -> Any:
    """Return a column as one array."""
    return pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column


def _several(points: Any) -> list[Any]:
    return points if isinstance(points, list) else [points]


def _pair(bounds: tuple[int, int] | None) -> dict[str, int] | None:
    return None if bounds is None else {"low": bounds[0], "high": bounds[1]}


def _shares(several: list[ShareBounds] | None) -> list[dict[str, float]] | None:
    return None if several is None else [bounds._asdict() for bounds in several]


def _moment(bounds: Any) -> dict[str, float] | None:
    return None if bounds is None else {name: getattr(bounds, name) for name in ("value", "lower", "upper")}


def _described(description: Any) -> dict[str, Any]:
    return {**asdict(description), "parameters": list(description.parameters.items())}


#: The functions whose answers have a type of their own: they take a `Form` first.
TYPED: dict[str, Callable[..., Any]] = {
    "sketch_quantile": sketch_quantile,
    "sketch_quantile_bounds": sketch_quantile_bounds,
    "sketch_min": sketch_min,
    "sketch_max": sketch_max,
    "sketch_sample": sketch_sample,
    **comparing.TYPED,
}

#: The others, with the SQL type of their answers.
PLAIN: dict[str, tuple[Callable[..., Any], str]] = {
    "sketch_rank": (sketch_rank, "bigint"),
    "sketch_rank_bounds": (sketch_rank_bounds, "struct<low: bigint, high: bigint>"),
    "sketch_cdf": (sketch_cdf, "array<double>"),
    "sketch_cdf_bounds": (sketch_cdf_bounds, "array<struct<share: double, low: double, high: double>>"),
    "sketch_pmf": (sketch_pmf, "array<double>"),
    "sketch_count": (sketch_count, "bigint"),
    "sketch_count_bounds": (sketch_count_bounds, "struct<low: bigint, high: bigint>"),
    "sketch_rank_error": (sketch_rank_error, "double"),
    "is_sketch": (is_sketch, "boolean"),
    "sketch_to_kll": (sketch_to_kll, "binary"),
    "sketch_merge": (sketch_merge, "binary"),
    "sketch_merge_or": (sketch_merge_or, "binary"),
    "sketch_cast": (sketch_cast, "binary"),
    "sketch_window": (sketch_window, "binary"),
    "sketch_at_version": (sketch_at_version, "binary"),
    "sketch_moment_bounds": (sketch_moment_bounds, "struct<value: double, lower: double, upper: double>"),
    "sketch_describe": (
        sketch_describe,
        "struct<family: string, format: int, value_type: string, parameters: map<string, double>, "
        "count: bigint, bytes: int, error: double, exact: boolean, time_type: string, retention: string, "
        "filters: array<string>, panes: int, answers: array<struct<phi: double, method: string, "
        "reason: string, need: bigint, reached: bigint, bursty: boolean, bound: double>>, trees: int, "
        "clamped: bigint, confidence: double, kept: bigint>",
    ),
    **comparing.PLAIN,
    **{
        f"sketch_{name}": (moment(name), "double")
        for name in ("sum", "mean", "skewness", "kurtosis", "corr", "slope", "intercept", "r2")
    },
    **{f"sketch_{name}": (moment_of_rows(name), "double") for name in ("variance", "stddev", "covar")},
}


def typed(form: Form) -> Callable[..., Any]:
    """Return the function of a form."""
    return partial(TYPED[form.function], form)
