"""Compare predicted costs with the real costs of queries, both from Spark's event logs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREDICTED = re.compile(
    r"block sort, (?P<structure>.{1,80}?) beyond \d+ rows "
    r"\[predicted (?P<nanos>\d+) ns a row and (?P<kib>\d+) KiB"
)
_ROWS = "number of certified answers"
_TIME = "time in large frames"
_BYTES = "memory of large frames"
# Spark puts the application in a log's name, and a number in the names of its parts.
_NAMED = re.compile(r"(events_\d+_|local-|app-|application_|spark-)")
_PACKED = {".zstd": "zstd", ".zst": "zstd", ".gz": "gzip"}
_PLAIN = "set spark.eventLog.compress to false where the log is written"


@dataclass(frozen=True)
class Drifted:
    """The costs of one query's large frames, and their predictions.

    `nanos` is the time of one row, in nanoseconds. `bytes` is the most that one task kept.
    """

    query: int
    structure: str
    rows: int
    predicted_nanos: float
    nanos: float
    predicted_bytes: float
    bytes: float

    @property
    def time_ratio(self) -> float:
        """Return the time of a row divided by the predicted time.

        Examples
        --------
        >>> Drifted(0, "CMQS", 1000, 200.0, 500.0, 1024, 2048).time_ratio
        2.5
        """
        return self.nanos / max(self.predicted_nanos, 1.0)

    @property
    def bytes_ratio(self) -> float:
        """Return the memory of a task divided by the predicted memory.

        Examples
        --------
        >>> Drifted(0, "CMQS", 1000, 200.0, 500.0, 1024, 2048).bytes_ratio
        2.0
        """
        return self.bytes / max(self.predicted_bytes, 1.0)


@dataclass
class _Operator:
    query: int
    structures: list[str]
    nanos: float
    kib: float
    metrics: dict[int, str]
    found: dict[str, list[int]] = field(default_factory=dict)


def drift(log: str | Path) -> list[Drifted]:
    """Compare predictions with what past queries cost.

    If you set ``spark.eventLog.enabled``, Spark writes down the plan and the metrics of each query. The plan
    has the predicted costs of large frames. The metrics have what they really cost.

    Parameters
    ----------
    log : str or Path
        An event log of Spark: a file, a folder of one application's files, or a folder of applications.

    Returns
    -------
    list of Drifted
        One for each query that had large frames with predictions. The list is empty if there was none.

    Raises
    ------
    ChronosketchError
        If the file or folder does not exist, or has no event log of Spark. Name one that Spark wrote.

    Examples
    --------
    >>> for one in drift("/var/log/spark-events"):  # doctest: +SKIP
    ...     print(one.structure, one.time_ratio)
    """
    path = Path(log)
    if not path.exists():
        raise ChronosketchError(f"There is no event log {path}: name a file or folder that Spark wrote.")
    files = sorted(_files(path))
    if not files:
        raise ChronosketchError(
            f"{path} holds no event log: set spark.eventLog.enabled to true in the queries."
        )
    found: list[Drifted] = []
    for application in sorted({file.parent if file.name.startswith("events_") else file for file in files}):
        parts = [file for file in files if application in (file, file.parent)]
        found.extend(_of_application(sorted(parts, key=_number)))
    return found


def median_ratio(drifted: list[Drifted]) -> float:
    """Return the median over queries of the time of a row divided by the predicted time.

    Examples
    --------
    >>> median_ratio([Drifted(0, "CMQS", 1000, 200.0, 500.0, 1024, 2048)])
    2.5
    """
    return median(one.time_ratio for one in drifted)


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from (one for one in path.rglob("*") if one.is_file() and _NAMED.match(one.name))


def _number(file: Path) -> tuple[int, str]:
    """Return the sort key that puts the files of an application in the order they were written."""
    part = re.match(r"events_(\d+)_", file.name)
    return int(part[1]) if part else 0, file.name


def _of_application(files: list[Path]) -> list[Drifted]:
    operators: list[_Operator] = []
    by_metric: dict[int, _Operator] = {}
    for file in files:
        for event in _events(file):
            if "sparkPlanInfo" in event:
                for one in _operators(event["sparkPlanInfo"], int(event.get("executionId", -1))):
                    operators.append(one)
                    by_metric.update(dict.fromkeys(one.metrics, one))
            elif event.get("Event") == "SparkListenerTaskEnd":
                for update in (event.get("Task Info") or {}).get("Accumulables", ()):
                    operator = by_metric.get(update.get("ID"))
                    if operator is not None and "Update" in update:
                        name = operator.metrics[update["ID"]]
                        operator.found.setdefault(name, []).append(int(update["Update"]))
    return [_drifted(one) for one in operators if sum(one.found.get(_ROWS, ())) > 0]


def _drifted(operator: _Operator) -> Drifted:
    rows = sum(operator.found[_ROWS])
    return Drifted(
        operator.query,
        ", ".join(operator.structures),
        rows,
        operator.nanos,
        sum(operator.found.get(_TIME, ())) / rows,
        operator.kib * 1024,
        max(operator.found.get(_BYTES, (0,))),
    )


def _operators(plan: dict[str, Any], query: int) -> Iterator[_Operator]:
    """Yield the operators with predictions in a plan. Each new plan of a query has its own metrics."""
    predicted = list(_PREDICTED.finditer(str(plan.get("simpleString", ""))))
    if predicted:
        yield _Operator(
            query,
            [one["structure"].strip() for one in predicted],
            # nanoseconds for a row and structure, as the operator counts rows
            sum(float(one["nanos"]) for one in predicted) / len(predicted),
            sum(float(one["kib"]) for one in predicted),
            {
                int(metric["accumulatorId"]): str(metric["name"])
                for metric in plan.get("metrics", ())
                if metric.get("name") in (_ROWS, _TIME, _BYTES)
            },
        )
    for child in plan.get("children", ()):
        yield from _operators(child, query)


def _events(file: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(file), 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            # The last line may be incomplete if the application still runs or was killed.
            if number > 1:
                return
            event = None
        if not isinstance(event, dict) or "Event" not in event:
            raise ChronosketchError(
                f"{file} is no event log of Spark: line {number} is not an event. Name a file that Spark "
                "wrote."
            )
        yield event


def _lines(file: Path) -> Iterator[str]:
    packed = _PACKED.get(file.suffix)
    try:
        if packed is None:
            with file.open(encoding="utf-8") as opened:
                yield from opened
        else:
            with _unpacked(file, packed) as stream:
                yield from stream
    except UnicodeDecodeError:
        raise ChronosketchError(
            f"{file} is not text, and its name does not end like that of a packed file: {_PLAIN}."
        ) from None
    except OSError as reason:
        raise ChronosketchError(f"{file} cannot be read ({reason}): {_PLAIN}.") from None


def _unpacked(file: Path, packed: str) -> TextIOWrapper:
    try:
        import pyarrow as pa
    except ImportError:
        raise ChronosketchError(
            f"{file} is compressed with {packed}, and reading it takes pyarrow: pip install pyarrow, or "
            f"{_PLAIN}."
        ) from None
    return TextIOWrapper(pa.CompressedInputStream(pa.OSFile(str(file)), packed), encoding="utf-8")
