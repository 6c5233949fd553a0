"""The comparisons of sketches, as functions of Arrow arrays with the names and arguments of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch import arrow
from chronosketch.portable.asking import as_list, by_value, nulls
from chronosketch.portable.forms import Form, constant

if TYPE_CHECKING:
    from collections.abc import Callable

_CONFIDENCE = 0.95
_BOUNDED = "struct<value: double, low: double, high: double>"


def sketch_ks(form: Form, a: Any, b: Any, type: Any = None) -> Any:  # noqa: A002
    """Return the Kolmogorov-Smirnov distances."""
    form.require_type(type)
    return arrow.ks(a, b, form.type)


def sketch_ks_p_value(a: Any, b: Any) -> Any:
    """Return the p-values of the Kolmogorov-Smirnov distances."""
    return arrow.ks_p_value(a, b)


def sketch_psi(a: Any, b: Any, bins: Any = None) -> Any:
    """Return the population stability indexes."""
    number = constant(bins, "bins")
    return arrow.psi(a, b) if number is None else arrow.psi(a, b, number)


def sketch_wasserstein(a: Any, b: Any) -> Any:
    """Return the Wasserstein distances."""
    return arrow.wasserstein(a, b)


def sketch_quantile_interval(
    form: Form,
    sketch: Any,
    phi: Any,
    confidence: Any = None,
    design_effect: Any = None,
    type: Any = None,  # noqa: A002
) -> Any:
    """Return confidence intervals of the populations' quantiles."""
    form.require_type(type)

    def answer(columns: list[Any], share: Any, sure: float, effects: Any) -> Any:
        return arrow.quantile_interval(columns[0], share, sure, effects, form.type)

    return _sampled(form, [sketch], phi, confidence, design_effect, answer)


def sketch_quantile_difference(
    form: Form, a: Any, b: Any, phi: Any, confidence: Any = None, design_effect: Any = None
) -> Any:
    """Return the differences of the populations' quantiles."""

    def answer(columns: list[Any], share: Any, sure: float, effects: Any) -> Any:
        return arrow.quantile_difference(columns[0], columns[1], share, sure, effects)

    return _sampled(form, [a, b], phi, confidence, design_effect, answer)


def _sampled(
    form: Form,
    sketches: list[Any],
    phi: Any,
    confidence: Any,
    design_effect: Any,
    answer: Callable[[list[Any], Any, float, Any], Any],
) -> Any:
    """Ask all rows with the same phi at once. Each may have a design effect of its own; NULL gives NULL."""
    form.require_phi(phi)
    given = constant(confidence, "confidence")
    sure = _CONFIDENCE if given is None else given

    def of_one(rows: Any, share: Any) -> Any:
        *columns, effects = (rows.field(i) for i in range(rows.type.num_fields))
        found = answer(columns, share, sure, effects)
        return as_list(found) if form.several else found

    def packed(columns: list[Any], effects: Any) -> Any:
        names = [str(i) for i in range(len(columns) + 1)]
        return pa.StructArray.from_arrays([*columns, effects], names)

    def kind() -> Any:
        none = packed([nulls(0) for _ in sketches], pa.array([], pa.float64()))
        return of_one(none, [0.5] if form.several else 0.5).type

    effects = pa.array([1.0] * len(sketches[0])) if design_effect is None else design_effect
    return by_value(packed(sketches, effects), phi, of_one, kind)


#: The functions whose answers have a type of their own, or that take one phi or several.
TYPED: dict[str, Callable[..., Any]] = {
    "sketch_ks": sketch_ks,
    "sketch_quantile_interval": sketch_quantile_interval,
    "sketch_quantile_difference": sketch_quantile_difference,
}

#: The others, with the SQL type of their answers.
PLAIN: dict[str, tuple[Callable[..., Any], str]] = {
    "sketch_ks_p_value": (sketch_ks_p_value, _BOUNDED),
    "sketch_psi": (sketch_psi, _BOUNDED),
    "sketch_wasserstein": (sketch_wasserstein, _BOUNDED),
}
