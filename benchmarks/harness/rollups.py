"""The table of requests and its roll-up, stored in a folder and reused, a copy of it that changes, and exact answers."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import chronosketch as cs

from harness.dashboards import DAY, DAYS, END, LEVELS, PHI, START, range_of
from harness.rounds import log_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from harness.dashboards import Dashboard

SERVICES, ENDPOINTS = 12, 40
_ROWS_A_FILE = 2_500_000


@dataclass(frozen=True)
class RollupSizes:
    """The sizes of the data.

    Attributes
    ----------
    rows : int
        Number of requests in 90 days.
    epsilon : float
        The rank error of the roll-up, and of all queries.
    """

    rows: int
    epsilon: float

    @property
    def micros(self) -> int:
        """The mean microseconds between two requests."""
        return DAYS * DAY * 1_000_000 // self.rows

    @property
    def percent(self) -> int:
        """The number of rows that change."""
        return max(1, self.rows // 100)


class RollupData:
    """The table ``requests`` and the roll-up ``requests_hourly``, each created on first use.

    A folder of an earlier run with the same sizes is reused.

    Attributes
    ----------
    build_seconds : dict
        The seconds that creating each took.
    """

    def __init__(self, spark: SparkSession, folder: str, sizes: RollupSizes) -> None:
        self._spark, self._folder, self._sizes = spark, Path(folder), sizes
        self._note = self._folder / "made.json"
        noted = json.loads(self._note.read_text("utf-8")) if self._note.exists() else {}
        self.build_seconds: dict[str, float] = noted["seconds"] if noted.get("of") == asdict(sizes) else {}

    def create_table(self) -> None:
        """Create the table, in the order of time, with its change feed."""
        self._create("requests", self._write_requests)

    def create_rollup(self) -> None:
        """Create the table and its roll-up."""
        self.create_table()
        self._create("requests_hourly", lambda into: follow(self._spark, "requests", into, self._sizes))

    def create_copy(self) -> str:
        """Create the table ``changed``, which shares the files of ``requests``, and return the name of its roll-up."""
        self.create_table()
        self.drop_copy()
        log_progress("a copy that changes, and its roll-up")
        self._spark.sql(
            f"CREATE TABLE changed SHALLOW CLONE requests LOCATION '{self._folder / 'changed'}'"
        ).collect()
        into = f"delta.`{self._folder / 'changed_hourly'}`"
        follow(self._spark, "changed", into, self._sizes)
        return into

    def drop_copy(self) -> None:
        """Delete the copy and its roll-up. The next run needs other changes."""
        self._spark.sql("DROP TABLE IF EXISTS changed")
        for name in ("changed", "changed_hourly"):
            shutil.rmtree(self._folder / name, ignore_errors=True)

    def requests(self, ids: range, parts: int, seed: int) -> DataFrame:
        """Return the requests with some ids. Ids are in the order of time."""
        micros = self._sizes.micros
        made = self._spark.range(ids.start, ids.stop, ids.step, parts).selectExpr(
            f"timestamp_micros({START * 1_000_000} + id * {micros} + pmod(xxhash64(id), {micros})) AS ts",
            f"pmod(xxhash64(id, 1), {SERVICES}) AS s",
            f"pmod(xxhash64(id, 2), {ENDPOINTS}) AS e",
            f"exp(randn({seed})) AS v",
        )
        return made.selectExpr(
            "ts",
            "concat('service-', s) AS service",
            "concat('/endpoint-', e) AS endpoint",
            "v * (20 + 5 * s + e) AS latency_ms",
        )

    def _write_requests(self, table: str) -> None:
        self._spark.sql(
            f"CREATE TABLE {table} (ts TIMESTAMP, service STRING, endpoint STRING, latency_ms DOUBLE) USING delta "
            "TBLPROPERTIES (delta.enableChangeDataFeed = true, delta.enableDeletionVectors = true)"
        )
        parts = max(2, self._sizes.rows // _ROWS_A_FILE)
        path = table[len("delta.`") : -1]
        self.requests(range(self._sizes.rows), parts, 42).write.format("delta").mode("append").save(path)

    def _create(self, name: str, write: Callable[[str], None]) -> None:
        path = self._folder / name
        if name not in self.build_seconds:
            log_progress(f"{name}: data")
            # of an earlier run that did not end, or of other sizes
            shutil.rmtree(path, ignore_errors=True)
            started = perf_counter()
            write(f"delta.`{path}`")
            self.build_seconds[name] = round(perf_counter() - started, 1)
            text = json.dumps({"of": asdict(self._sizes), "seconds": self.build_seconds})
            self._note.write_text(text, encoding="utf-8")
        self._spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING delta LOCATION '{path}'")


def follow(spark: SparkSession, source: str, into: str, sizes: RollupSizes) -> None:
    """Make a step of a roll-up by service and endpoint."""
    cs.rollup.follow(
        spark,
        source=source,
        into=into,
        time="ts",
        by=["service", "endpoint"],
        values={"latency": "latency_ms"},
        epsilon=sizes.epsilon,
        levels=list(LEVELS),
    )


@dataclass
class Copy:
    """Changes one percent of the rows of a copy of the table, in one of several ways.

    Attributes
    ----------
    into : str
        The roll-up that follows the copy.
    """

    spark: SparkSession
    data: RollupData
    sizes: RollupSizes
    into: str

    @property
    def ways(self) -> dict[str, Callable[[int], None]]:
        """The ways by name. Each takes the number of its round, and changes other rows in each."""
        return {
            LAST_DAY: self._update_last_day,
            LATE: self._append_late,
            SPREAD: self._update_spread,
            FILE: self._append_file,
        }

    def _update_last_day(self, number: int) -> None:
        # one percent of 90 days is 21.6 hours
        last = range_of("ts", END - DAYS * DAY // 100, END)
        self.spark.sql(f"UPDATE changed SET latency_ms = latency_ms + {number + 1} WHERE {last}").collect()

    def _update_spread(self, number: int) -> None:
        some = f"pmod(xxhash64(ts), 100) = {number % 100}"
        self.spark.sql(f"UPDATE changed SET latency_ms = latency_ms + {number + 1} WHERE {some}").collect()

    def _append_late(self, number: int) -> None:
        self._append(self.data.requests(range(number, self.sizes.rows, 100), 2, 100 + number))

    def _append_file(self, number: int) -> None:
        first = self.sizes.rows + number * self.sizes.percent
        self._append(self.data.requests(range(first, first + self.sizes.percent), 1, 200 + number))

    def _append(self, rows: DataFrame) -> None:
        rows.write.format("delta").mode("append").saveAsTable("changed")


LAST_DAY = "1 % of rows updated, of the last day"
LATE = "1 % of rows appended late, over all hours"
SPREAD = "1 % of rows updated, over all hours"
FILE = "one file of 1 % of rows appended"


@dataclass
class Checked:
    """Counts of answers that were compared with exact ones.

    Attributes
    ----------
    answers : int
        Rows of answers.
    violations : int
        Rows whose count or maximum differs, whose quantile is no value of the rows or farther than ε from its rank, or that
        are missing or too many.
    largest_error : float
        The largest rank error, relative to the count of the group.
    examples : list of str
        Some of the violations.
    """

    answers: int = 0
    violations: int = 0
    largest_error: float = 0.0
    examples: list[str] = field(default_factory=list)

    def count(self, is_right: bool, example: str) -> None:
        """Count an answer."""
        self.answers += 1
        if not is_right:
            self.violations += 1
            self.examples = [*self.examples, example][:10]

    def add(self, other: Checked) -> None:
        """Add the counts of another query."""
        self.answers += other.answers
        self.violations += other.violations
        self.largest_error = max(self.largest_error, other.largest_error)
        self.examples = [*self.examples, *other.examples][:10]


def check(
    spark: SparkSession, query: Dashboard, answers: dict[str, list[Any]], epsilon: float
) -> dict[str, Checked]:
    """Compare the rows of answers of each side with exact counts and ranks, which take one scan of each range."""
    found = {side: Checked() for side in answers}
    for nth, (since, until) in enumerate(query.ranges):
        suffix = f"_{nth}" if nth else ""
        given = {
            side: {
                tuple(row[name] for name in query.groups): tuple(
                    row[name + suffix] for name in ("p99", "n", "slowest")
                )
                for row in rows
            }
            for side, rows in answers.items()
        }
        exact = _exact(spark, query, range_of("ts", since, until), given)
        for side, rows in given.items():
            _compare(found[side], query, rows, exact, list(given).index(side), epsilon)
    return found


def _exact(
    spark: SparkSession, query: Dashboard, condition: str, given: dict[str, dict[Any, Any]]
) -> dict[Any, Any]:
    """Return the count, the maximum, and for each side how many rows are below its quantile, and how many are not above, by group."""
    groups = list(dict.fromkeys(group for rows in given.values() for group in rows))
    table = [(*group, *(rows.get(group, (None,))[0] for rows in given.values())) for group in groups]
    types = spark.sql(query.select("1", "requests", "ts", condition)).schema.fields[:-1]
    schema = ", ".join(
        [f"g{i} {f.dataType.simpleString()}" for i, f in enumerate(types)]
        + [f"p{i} DOUBLE" for i in range(len(given))]
    )
    spark.createDataFrame(table, schema).createOrReplaceTempView("answers")
    keys = [*query.keys, *([f"date_trunc('{query.unit}', ts)"] if query.unit else [])]
    on = " AND ".join(f"{key} = g{i}" for i, key in enumerate(keys)) or "true"
    counts = ", ".join(
        f"count_if(latency_ms < p{i}), count_if(latency_ms <= p{i})" for i in range(len(given))
    )
    where = f"{condition} AND {query.where}" if query.where else condition
    grouped = f"GROUP BY {', '.join(keys)}" if keys else ""
    rows = spark.sql(
        f"SELECT /*+ BROADCAST(answers) */ {''.join(f'{key}, ' for key in keys)}count(*), max(latency_ms), {counts} "
        f"FROM requests LEFT JOIN answers ON {on} WHERE {where} {grouped}"
    ).collect()
    return {tuple(row[: len(keys)]): tuple(row[len(keys) :]) for row in rows}


def _compare(
    found: Checked, query: Dashboard, given: dict[Any, Any], exact: dict[Any, Any], side: int, epsilon: float
) -> None:
    for group in given.keys() | (set() if query.is_top else exact.keys()):
        example = f"{query.name}, {group}: {given.get(group)}, exact {exact.get(group)}"
        if group not in given or group not in exact:
            found.count(False, example)
            continue
        _, n, slowest = given[group]
        count, largest, *ranks = exact[group]
        below, up_to = ranks[2 * side : 2 * side + 2]
        rank = ceil(Fraction(PHI) * count)
        missed = max(0, rank - up_to, below + 1 - rank)
        found.largest_error = max(found.largest_error, missed / count)
        is_near = below < up_to and missed <= Fraction(repr(epsilon)) * count
        found.count(is_near and n == count and slowest == largest, example)
    if query.is_top:
        found.count(len(given) == min(10, len(exact)), f"{query.name}: {len(given)} rows")
