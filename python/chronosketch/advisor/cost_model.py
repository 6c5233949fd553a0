"""The cost model of a machine, stored as JSON. docs/advisor.md describes the fields."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronosketch.advisor.approaches import PROMISES
from chronosketch.advisor.responses import RESPONSES, Response, response_of
from chronosketch.advisor.workloads import FACTORS
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FORMAT = 1
FILE = "cost-model.json"
_AGAIN = "write it again with `chronosketch calibrate`."


@dataclass(frozen=True)
class Measured:
    """The fitted costs of one approach to one aggregate.

    `ranges` holds the least and the greatest measured value of each factor. `worst_share` is the largest
    measured error as a share of the allowed one; None if no error is allowed or none was measured.
    """

    aggregate: str
    approach: str
    promise: str
    cells: int
    ranges: Mapping[str, tuple[float, float]]
    worst_share: float | None
    responses: Mapping[str, Response]

    def as_json(self) -> dict[str, Any]:
        """Return the content of the model's JSON."""
        return {
            "aggregate": self.aggregate,
            "approach": self.approach,
            "promise": self.promise,
            "cells": self.cells,
            "ranges": {name: list(self.ranges[name]) for name in FACTORS},
            "worst_share": self.worst_share,
            "responses": {
                name: self.responses[name].as_json() for name in RESPONSES if name in self.responses
            },
        }


@dataclass(frozen=True)
class CostModel:
    """The costs of all approaches on one machine.

    Parameters
    ----------
    machine : mapping
        The machine that costs were measured on.
    versions : mapping
        The versions of the software.
    grid : mapping
        The workloads that were measured.
    models : sequence of Measured
        The fitted costs, one for each aggregate and approach.
    source : str
        Where the model was read from. Messages name it.
    """

    machine: Mapping[str, Any]
    versions: Mapping[str, Any]
    grid: Mapping[str, Any]
    models: Sequence[Measured]
    source: str = ""

    def models_of(self, aggregate: str) -> dict[str, Measured]:
        """Return the models of an aggregate, by approach."""
        return {model.approach: model for model in self.models if model.aggregate == aggregate}

    def text(self) -> str:
        """Write the model as JSON."""
        content = {
            "format": FORMAT,
            "machine": dict(self.machine),
            "versions": dict(self.versions),
            "grid": dict(self.grid),
            "models": [model.as_json() for model in self.models],
        }
        return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @staticmethod
    def read(text: str, source: str) -> CostModel:
        """Read a model from JSON.

        Raises
        ------
        ChronosketchError
            If the text is not a cost model, or has a newer format.

        Examples
        --------
        >>> model = CostModel({"cores": 2}, {}, {}, [])
        >>> CostModel.read(model.text(), "mine.json").machine
        {'cores': 2}
        """
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as reason:
            raise ChronosketchError(f"{source} is no JSON ({reason}): {_AGAIN}") from None
        if not isinstance(content, dict):
            raise ChronosketchError(
                f"{source} is no cost model: it is not an object of JSON. {_AGAIN.capitalize()}"
            )
        for name in ("format", "machine", "versions", "grid", "models"):
            if name not in content:
                raise ChronosketchError(
                    f"{source} is no cost model: it has no field {name!r}. {_AGAIN.capitalize()}"
                )
        if content["format"] != FORMAT:
            raise ChronosketchError(
                f"{source} has format {content['format']!r} and this version reads format {FORMAT}. "
                "Install a newer chronosketch, or calibrate again."
            )
        for name, kind in (("machine", dict), ("versions", dict), ("grid", dict), ("models", list)):
            if not isinstance(content[name], kind):
                raise ChronosketchError(f"{source} is no cost model: {name} is {content[name]!r}; {_AGAIN}")
        models = [_measured(one, f"model {i} of {source}") for i, one in enumerate(content["models"], 1)]
        return CostModel(content["machine"], content["versions"], content["grid"], models, source)


def _measured(content: Any, where: str) -> Measured:
    if not isinstance(content, dict):
        raise ChronosketchError(f"{where} is no object: {_AGAIN}")
    for name in ("aggregate", "approach", "promise", "cells", "ranges", "worst_share", "responses"):
        if name not in content:
            raise ChronosketchError(f"{where} has no field {name!r}: {_AGAIN}")
    named = f"the model of {content['approach']} for {content['aggregate']}, {where},"
    if content["promise"] not in PROMISES:
        raise ChronosketchError(
            f"{named} promises {content['promise']!r}, which is none of {', '.join(PROMISES)}. "
            "Calibrate again."
        )
    share = content["worst_share"]
    if share is not None and not _number(share):
        raise ChronosketchError(
            f"{named} has the worst_share {share!r}: it must be a number or null. {_AGAIN.capitalize()}"
        )
    responses = content["responses"] if isinstance(content["responses"], dict) else {}
    for name in ("time", "bytes"):
        if name not in responses:
            raise ChronosketchError(f"{named} has no response {name!r}: {_AGAIN}")
    return Measured(
        str(content["aggregate"]),
        str(content["approach"]),
        content["promise"],
        int(content["cells"]) if _number(content["cells"]) else 0,
        {name: _range(content["ranges"], name, named) for name in FACTORS},
        None if share is None else float(share),
        {name: response_of(responses[name], f"{name} of {named}") for name in RESPONSES if name in responses},
    )


def _range(ranges: Any, name: str, where: str) -> tuple[float, float]:
    ends = ranges.get(name) if isinstance(ranges, dict) else None
    if not isinstance(ends, list) or len(ends) != 2 or not all(_number(end) for end in ends):
        raise ChronosketchError(
            f"{where} has the range {ends!r} of {name}: it must be two numbers. {_AGAIN.capitalize()}"
        )
    return float(ends[0]), float(ends[1])


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def cost_model(model: CostModel | str | Path | None = None) -> CostModel:
    """Return a cost model: the given one, one from a file, or the one in the package.

    Raises
    ------
    ChronosketchError
        If the file cannot be read or is not a cost model, or the package has none. Write one with
        ``chronosketch calibrate``.
    """
    if isinstance(model, CostModel):
        return model
    if model is None:
        shipped = files("chronosketch.advisor") / FILE
        if not shipped.is_file():
            raise ChronosketchError(
                f"This package carries no {FILE}: run `chronosketch calibrate`, and give the file that it "
                "writes as model=, or on the command line as --model."
            )
        return CostModel.read(shipped.read_text(encoding="utf-8"), f"the package's {FILE}")
    if not isinstance(model, (str, Path)):
        raise ChronosketchError(
            f"model is {model!r}, of type {type(model).__name__}: give a CostModel, or the path of a {FILE}."
        )
    return CostModel.read(
        read_text(Path(model), f"the {FILE} that `chronosketch calibrate` writes"), str(model)
    )


def read_text(file: Path, expected: str) -> str:
    """Read a text file.

    Raises
    ------
    ChronosketchError
        If it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ChronosketchError(f"{file} does not exist: name {expected}.") from None
    except OSError as reason:
        raise ChronosketchError(f"{file} cannot be read ({reason.strerror}): name {expected}.") from None
    except UnicodeDecodeError as reason:
        raise ChronosketchError(f"{file} is not text in UTF-8 ({reason}): name {expected}.") from None
