"""The questions of the demo. Each checks its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chronosketch.demo.checking import CheckedAnswer, Truth, check, then_truth, window_truth
from chronosketch.demo.flights import air_speed
from chronosketch.demo.queries import MOMENTS, PHIS, SLOW, TAIL, THEN, Queries, queries
from chronosketch.demo.reading import Reading, column_bytes, rows_read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    from pyspark.sql import Row, SparkSession


@dataclass(frozen=True)
class StoredAnswers:
    """The p99 of groups from stored sketches, and what was read for it and for the exact answer."""

    answers: list[CheckedAnswer]
    sketches: Reading
    raw: Reading


@dataclass(frozen=True)
class WarehouseAnswers:
    """Answers of a warehouse, with the number of rows that were read and that it has."""

    answers: list[CheckedAnswer]
    rows_read: int
    rows_total: int


class Chapters:
    """The flights in a folder, and the questions of the demo.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session with the functions.
    flights : pandas.DataFrame
        The flights, the same rows as in the raw file.
    raw_file, sketch_folder : pathlib.Path
        The file of the raw table, and the folder to write sketches to.
    """

    def __init__(
        self, spark: SparkSession, flights: pd.DataFrame, raw_file: Path, sketch_folder: Path
    ) -> None:
        self.sql: Queries = queries(raw_file, sketch_folder)
        self._spark, self._flights = spark, flights
        self._raw_file, self._sketch_folder = raw_file, sketch_folder
        spark.sql(self.sql.departures)
        spark.sql(self.sql.flights)

    def delays_by_carrier(self) -> list[CheckedAnswer]:
        """Return p50, p90 and p99 of the departure delay by carrier, at the default ε."""
        return self._checked(self.sql.delays_by_carrier, self._truth("carrier"))

    def speeds_by_carrier(self) -> list[CheckedAnswer]:
        """Return p50, p90 and p99 of the air speed by carrier, at ε = 0.01."""
        truth = Truth(self._flights["carrier"], air_speed(self._flights))
        return self._checked(self.sql.speeds_by_carrier, truth)

    def delays_by_hour(self) -> list[CheckedAnswer]:
        """Return p50, p90 and p99 of the departure delay by the hour of the schedule, at ε = 0.005."""
        return self._checked(self.sql.delays_by_hour, self._truth("hour"))

    def store_sketches(self) -> int:
        """Store a sketch of the delays per day and airport, and return how many there are."""
        self._spark.sql(self.sql.store)
        self._spark.sql(self.sql.daily_delays)
        return self._spark.table("daily_delays").count()

    def stored_by_airport(self) -> StoredAnswers:
        """Return each airport's p99 of the year from the stored sketches alone."""
        return self._stored(
            self.sql.stored_by_airport, self.sql.exact_by_airport, "origin", self._truth("origin")
        )

    def stored_by_month(self) -> StoredAnswers:
        """Return each month's p99 of all airports from the stored sketches alone."""
        truth = Truth(self._flights["flight_date"].dt.month, self._flights["dep_delay"])
        return self._stored(self.sql.stored_by_month, self.sql.exact_by_month, "flight_date", truth)

    def store_windows(self) -> int:
        """Store a window sketch of the delays per airport, and return their bytes."""
        self._spark.sql(self.sql.store_windows)
        self._spark.sql(self.sql.airport_windows)
        sizes = self._spark.table("airport_windows").selectExpr("sum(length(delays))").collect()
        return int(sizes[0][0])

    def windows_now(self) -> list[CheckedAnswer]:
        """Return each airport's p90 of windows that end at its last flight of the year, from one sketch."""
        return self._windows(self.sql.windows_now, self.sql.exact_windows_now, self._flights)

    def store_daily_windows(self) -> int:
        """Store a window sketch of the delays per day and airport, and return how many there are."""
        self._spark.sql(self.sql.store_daily_windows)
        self._spark.sql(self.sql.daily_windows)
        return self._spark.table("daily_windows").count()

    def windows_then(self) -> list[CheckedAnswer]:
        """Return each airport's p90 of windows that end on a day in the year, from daily sketches."""
        until_then = self._flights[self._flights["flight_date"] <= THEN]
        return self._windows(self.sql.windows_then, self.sql.exact_windows_then, until_then)

    def store_histories(self) -> tuple[int, int]:
        """Store two histories per airport, and return the bytes of aircraft in the air and of delays."""
        for statement in (self.sql.flown, self.sql.store_histories, self.sql.airport_histories):
            self._spark.sql(statement)
        sizes = self._spark.table("airport_histories").selectExpr(
            "sum(length(in_the_air))", "sum(length(delays))"
        )
        aircraft, delays = sizes.collect()[0]
        return int(aircraft), int(delays)

    def aircraft_then(self) -> list[CheckedAnswer]:
        """Return the p90 of the miles of each airport's aircraft that were in the air at some moments."""
        truth = then_truth(self._flights, "distance", MOMENTS)
        return self._then(self.sql.aircraft_then, self.sql.exact_aircraft_then, truth)

    def delays_then(self) -> list[CheckedAnswer]:
        """Return the p90 of each airport's delays of the thirty days before some moments."""
        truth = then_truth(self._flights, "dep_delay", MOMENTS, days=30)
        return self._then(self.sql.delays_then, self.sql.exact_delays_then, truth)

    def fill_warehouse(self) -> int:
        """Put the year's air speeds into a warehouse, a step for each half-year, and count its runs."""
        for statement in (
            self.sql.create_warehouse,
            self.sql.first_half,
            self.sql.append_first,
            self.sql.second_half,
            self.sql.append_second,
            self.sql.register,
        ):
            self._spark.sql(statement).collect()
        return self._spark.table("air_speeds_runs").count()

    def speeds_quick(self) -> WarehouseAnswers:
        """Return each airport's p90 of the air speed from summaries alone."""
        return self._from_warehouse(self.sql.speeds_quick)

    def speeds_accurate(self) -> WarehouseAnswers:
        """Return each airport's exact p90 of the air speed, from a few pages of the warehouse."""
        return self._from_warehouse(self.sql.speeds_accurate)

    def _from_warehouse(self, sql: str) -> WarehouseAnswers:
        rows = self._spark.sql(sql).collect()
        truth = Truth(self._flights["origin"], air_speed(self._flights))
        joined = _joined(rows, self._spark.sql(self.sql.exact_speeds).collect())
        return WarehouseAnswers(check(joined, SLOW, truth), rows[0].rows_read, rows[0].rows_total)

    def _then(self, sql: str, exact_sql: str, truth: Truth) -> list[CheckedAnswer]:
        rows = _joined(self._spark.sql(sql).collect(), self._spark.sql(exact_sql).collect())
        return check(rows, SLOW, truth)

    def _windows(self, sql: str, exact_sql: str, flights: pd.DataFrame) -> list[CheckedAnswer]:
        return self._then(sql, exact_sql, window_truth(flights))

    def _truth(self, group: str) -> Truth:
        return Truth(self._flights[group], self._flights["dep_delay"])

    def _checked(self, sql: str, truth: Truth) -> list[CheckedAnswer]:
        return check([row.asDict() for row in self._spark.sql(sql).collect()], PHIS, truth)

    def _stored(self, stored: str, exact: str, group: str, truth: Truth) -> StoredAnswers:
        answered, sketches = rows_read(self._spark, stored)
        sorted_out, values = rows_read(self._spark, exact)
        return StoredAnswers(
            answers=check(_joined(answered, sorted_out), TAIL, truth),
            sketches=Reading(sketches, column_bytes(self._sketch_folder, (group, "delays"))),
            raw=Reading(values, column_bytes(self._raw_file, (group, "dep_delay"))),
        )


def _joined(answered: Sequence[Row], sorted_out: Sequence[Row]) -> list[dict[str, Any]]:
    exact = {row[0]: row["exact"] for row in sorted_out}
    return [{**row.asDict(), "exact": exact[row[0]]} for row in answered]
