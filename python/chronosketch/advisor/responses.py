"""A fitted cost as a function of the workload, with a prediction interval, in plain arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, fsum, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Literal

from chronosketch.advisor.terms import TERMS, evaluate
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from chronosketch.advisor.workloads import Workload

RESPONSES = ("time", "bytes", "update", "query")
Form = Literal["sum", "power"]
Noise = Literal["constant", "proportional"]
_FIELDS = ("form", "estimator", "noise", "terms", "coefficients", "covariance", "scale", "t", "smallest")


@dataclass(frozen=True)
class Prediction:
    """A predicted cost, with an interval from `low` to `high` that holds it in 95 % of cases.

    `clipped` is True if the model gave less than was ever measured. Then `value` is the least measured cost.
    """

    value: float
    low: float
    high: float
    clipped: bool = False


@dataclass(frozen=True)
class Response:
    """One fitted cost.

    With x the values of `terms`, b the `coefficients` and C their `covariance`: e = Σ bᵢxᵢ. "sum" predicts
    e ± t·√(xᵀCx + scale·v), where v is 1 for constant noise and e² for proportional noise. The form "power"
    predicts exp(e), between exp(e − t·√(xᵀCx + scale)) and exp(e + …). Nothing below `smallest`, the
    least measured cost, is predicted, and no interval begins below 0.
    """

    form: Form
    estimator: str
    noise: Noise
    terms: tuple[str, ...]
    coefficients: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    scale: float
    t: float
    smallest: float
    notes: Mapping[str, Any] = field(default_factory=dict)

    def defined(self, workload: Workload) -> bool:
        """Return whether all terms are defined for a workload."""
        return all(TERMS[name].defined(workload) for name in self.terms)

    @property
    def factors(self) -> set[str]:
        """Return the factors that the terms depend on."""
        return {factor for name in self.terms for factor in TERMS[name].factors}

    def predict(self, workload: Workload) -> Prediction:
        """Predict the cost of a workload.

        Examples
        --------
        >>> zero = ((0.0, 0.0), (0.0, 0.0))
        >>> r = Response("sum", "ols", "constant", ("one", "slide"), (100.0, 2.0), zero, 25.0, 2.0, 1.0)
        >>> from chronosketch.advisor.workloads import Workload
        >>> r.predict(Workload(1000, 10))
        Prediction(value=120.0, low=110.0, high=130.0, clipped=False)
        """
        x = [evaluate(name, workload) for name in self.terms]
        middle = fsum(b * value for b, value in zip(self.coefficients, x, strict=True))
        of_model = fsum(
            a * fsum(c * b for c, b in zip(row, x, strict=True))
            for a, row in zip(x, self.covariance, strict=True)
        )
        around = self.scale * (middle**2 if self.noise == "proportional" else 1)
        half = self.t * sqrt(max(0.0, of_model + around))
        if self.form == "power":
            value, low, high = _exp(middle), _exp(middle - half), _exp(middle + half)
        else:
            value, low, high = middle, max(0.0, middle - half), middle + half
        if value < self.smallest:
            return Prediction(self.smallest, min(low, self.smallest), max(high, self.smallest), True)
        return Prediction(value, low, high)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that `response_of` reads."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        return {**fields, **self.notes}


def _exp(power: float) -> float:
    # Avoid overflow far outside the measured range; the result is still very large.
    return exp(min(power, 700.0))


def response_of(json: Any, where: str) -> Response:
    """Read a response from JSON.

    Raises
    ------
    ChronosketchError
        If a field is missing or does not fit.
    """
    if not isinstance(json, Mapping):
        raise ChronosketchError(
            f"{where} is no object: write the cost model again with `chronosketch calibrate`."
        )
    missing = [name for name in _FIELDS if name not in json]
    if missing:
        raise ChronosketchError(
            f"{where} has no field {missing[0]!r}: write the cost model again with `chronosketch calibrate`."
        )
    if json["form"] not in ("sum", "power") or json["noise"] not in ("constant", "proportional"):
        raise ChronosketchError(
            f"{where} has the form {json['form']!r} with {json['noise']!r} noise, which this version does "
            "not know: install a newer chronosketch, or calibrate again."
        )
    terms = tuple(json["terms"]) if isinstance(json["terms"], list) else ()
    unknown = [name for name in terms if name not in TERMS]
    if unknown:
        raise ChronosketchError(
            f"{where} has the term {unknown[0]!r}, which this version does not know: install a newer "
            "chronosketch, or calibrate again."
        )
    coefficients = _numbers(json["coefficients"], f"coefficients of {where}")
    rows = json["covariance"] if isinstance(json["covariance"], list) else []
    covariance = tuple(_numbers(row, f"covariance of {where}") for row in rows)
    if not terms or {len(terms)} != {len(coefficients), len(covariance), *(len(row) for row in covariance)}:
        raise ChronosketchError(
            f"{where} has {len(terms)} terms and {len(coefficients)} coefficients with a covariance of "
            f"{len(covariance)} rows: all must be of one size. Calibrate again."
        )
    scale, t, smallest = _numbers(
        [json["scale"], json["t"], json["smallest"]], f"scale, t and smallest of {where}"
    )
    notes = {name: value for name, value in json.items() if name not in _FIELDS}
    return Response(
        json["form"],
        str(json["estimator"]),
        json["noise"],
        terms,
        coefficients,
        covariance,
        scale,
        t,
        smallest,
        notes,
    )


def _numbers(values: Any, what: str) -> tuple[float, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ChronosketchError(f"The {what} are {values!r}: they must be numbers. Calibrate again.")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise ChronosketchError(f"The {what} hold {value!r}, which is no number: calibrate again.")
    return tuple(float(value) for value in values)
