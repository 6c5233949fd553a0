"""The SQL of the demo. The printed statements are those that run, and ``demo.sql`` contains them all."""

from __future__ import annotations

from dataclasses import dataclass, fields
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PHIS = ("0.5", "0.9", "0.99")
TAIL = ("0.99",)
SLOW = ("0.9",)


THEN = "2013-07-04"
_UNTIL_THEN = f"flight_date <= DATE '{THEN}'"
_HAS_DELAY = "dep_delay IS NOT NULL"
_WINDOW_FOLDERS = ("airport_windows", "daily_windows")

# Before a blizzard, on a holiday, and on the busiest evening of the year.
MOMENTS = ("2013-02-08 12:00:00", "2013-07-04 12:00:00", "2013-11-27 17:00:00")


@dataclass(frozen=True)
class Queries:
    """All statements, in the order in which they run."""

    departures: str
    flights: str
    delays_by_carrier: str
    speeds_by_carrier: str
    store: str
    daily_delays: str
    stored_by_airport: str
    exact_by_airport: str
    stored_by_month: str
    exact_by_month: str
    store_windows: str
    airport_windows: str
    windows_now: str
    exact_windows_now: str
    store_daily_windows: str
    daily_windows: str
    windows_then: str
    exact_windows_then: str
    flown: str
    store_histories: str
    airport_histories: str
    aircraft_then: str
    exact_aircraft_then: str
    delays_then: str
    exact_delays_then: str
    create_warehouse: str
    first_half: str
    append_first: str
    second_half: str
    append_second: str
    register: str
    speeds_quick: str
    speeds_accurate: str
    exact_speeds: str
    delays_by_hour: str

    def as_file(self) -> str:
        """Return all statements as one file for ``chronosketch sql`` or any Spark SQL prompt."""
        return "\n".join(f"{getattr(self, field.name)};\n" for field in fields(self))


def queries(raw_file: Path, sketch_folder: Path) -> Queries:
    """Return the statements for a raw Parquet file and the folder where sketches are stored."""
    windows, daily_windows = (sketch_folder.with_name(f"{name}.parquet") for name in _WINDOW_FOLDERS)
    histories = sketch_folder.with_name("airport_histories.parquet")
    warehouse = sketch_folder.with_name("air_speeds")
    return Queries(
        departures=_view("departures", raw_file),
        flights=_sql("""
            CREATE OR REPLACE TEMP VIEW flights AS
            SELECT *, 60D * distance / air_time AS air_speed FROM departures
        """),
        delays_by_carrier=_sql("""
            SELECT carrier,
                   count(dep_delay) AS n,
                   approx_quantile(dep_delay, array(0.5, 0.9, 0.99)) AS answer,
                   approx_quantile_bounds(dep_delay, array(0.5, 0.9, 0.99)) AS bounds,
                   percentile_disc(array(0.5, 0.9, 0.99)) WITHIN GROUP (ORDER BY dep_delay) AS exact,
                   sketch_rank_error(quantile_sketch_agg(dep_delay, epsilon => 1e-4)) AS certified
            FROM flights
            GROUP BY carrier
            ORDER BY n DESC
        """),
        speeds_by_carrier=_sql("""
            SELECT carrier,
                   sketch_count(s) AS n,
                   sketch_quantile(s, array(0.5, 0.9, 0.99)) AS answer,
                   sketch_quantile_bounds(s, array(0.5, 0.9, 0.99)) AS bounds,
                   exact,
                   sketch_rank_error(s) AS certified
            FROM (
              SELECT carrier,
                     quantile_sketch_agg(air_speed, epsilon => 0.01) AS s,
                     percentile_disc(array(0.5, 0.9, 0.99)) WITHIN GROUP (ORDER BY air_speed) AS exact
              FROM flights
              GROUP BY carrier
            )
            ORDER BY n DESC
        """),
        store=_sql(f"""
            INSERT OVERWRITE DIRECTORY {_text(sketch_folder)} USING parquet
            SELECT flight_date, origin, quantile_sketch_agg(dep_delay) AS delays
            FROM flights
            GROUP BY flight_date, origin
        """),
        daily_delays=_view("daily_delays", sketch_folder),
        stored_by_airport=_stored("origin", "origin"),
        exact_by_airport=_exact("origin", "origin"),
        stored_by_month=_stored("month(flight_date)", "month"),
        exact_by_month=_exact("month(flight_date)", "month"),
        store_windows=_sql(f"""
            INSERT OVERWRITE DIRECTORY {_text(windows)} USING parquet
            SELECT origin, window_sketch_agg(dep_delay, scheduled, epsilon => 0.02) AS delays
            FROM flights
            GROUP BY origin
        """),
        airport_windows=_view("airport_windows", windows),
        windows_now=_windows("airport_windows"),
        exact_windows_now=_exact_windows(_HAS_DELAY),
        store_daily_windows=_sql(f"""
            INSERT OVERWRITE DIRECTORY {_text(daily_windows)} USING parquet
            SELECT flight_date, origin, window_sketch_agg(dep_delay, scheduled, epsilon => 0.02) AS delays
            FROM flights
            GROUP BY flight_date, origin
        """),
        daily_windows=_view("daily_windows", daily_windows),
        windows_then=_windows(
            "(SELECT origin, sketch_merge_agg(delays) AS delays FROM daily_windows "
            f"WHERE {_UNTIL_THEN} GROUP BY origin)"
        ),
        exact_windows_then=_exact_windows(f"{_HAS_DELAY} AND {_UNTIL_THEN}"),
        flown=_sql("""
            CREATE OR REPLACE TEMP VIEW flown AS
            SELECT origin,
                   distance,
                   dep_delay,
                   timestampadd(MINUTE, dep_delay, scheduled) AS took_off,
                   timestampadd(MINUTE, dep_delay + air_time, scheduled) AS landed
            FROM flights
            WHERE air_time IS NOT NULL
        """),
        store_histories=_sql(f"""
            INSERT OVERWRITE DIRECTORY {_text(histories)} USING parquet
            SELECT origin,
                   history_sketch_agg(distance, took_off, epsilon => 0.02, until => landed) AS in_the_air,
                   history_sketch_agg(dep_delay, took_off, epsilon => 0.02,
                                      until => took_off + INTERVAL 30 DAYS) AS delays
            FROM flown
            GROUP BY origin
        """),
        airport_histories=_view("airport_histories", histories),
        aircraft_then=_then("in_the_air"),
        exact_aircraft_then=_exact_then("distance", "landed"),
        delays_then=_then("delays"),
        exact_delays_then=_exact_then("dep_delay", "took_off + INTERVAL 30 DAYS"),
        create_warehouse=_sql(f"""
            CALL chronosketch.create({_text(warehouse)}, 'air_speed', by => array('origin'),
                                     epsilon => 0.01D, if_not_exists => true)
        """),
        first_half=_half("first_half", "month(flight_date) <= 6"),
        append_first=_append(warehouse, "first_half"),
        second_half=_half("second_half", "month(flight_date) > 6"),
        append_second=_append(warehouse, "second_half"),
        register=f"CALL chronosketch.register({_text(warehouse)}, 'air_speeds')",
        speeds_quick=_from_warehouse("quick"),
        speeds_accurate=_from_warehouse("accurate"),
        exact_speeds=_sql("""
            SELECT origin, percentile_disc(0.9) WITHIN GROUP (ORDER BY air_speed) AS exact
            FROM flights
            GROUP BY origin
        """),
        delays_by_hour=_sql("""
            SELECT hour,
                   sketch_count(s) AS n,
                   sketch_quantile(s, array(0.5, 0.9, 0.99)) AS answer,
                   sketch_quantile_bounds(s, array(0.5, 0.9, 0.99)) AS bounds,
                   exact,
                   sketch_rank_error(s) AS certified
            FROM (
              SELECT hour,
                     quantile_sketch_agg(dep_delay, epsilon => 0.005) AS s,
                     percentile_disc(array(0.5, 0.9, 0.99)) WITHIN GROUP (ORDER BY dep_delay) AS exact
              FROM flights
              WHERE dep_delay IS NOT NULL
              GROUP BY hour
            )
            ORDER BY hour
        """),
    )


def _view(name: str, path: Path) -> str:
    return f"CREATE OR REPLACE TEMP VIEW {name} USING parquet OPTIONS (path {_text(path)})"


def _windows(sketches: str) -> str:
    return _sql(f"""
        SELECT concat(origin, ', ', name) AS `window`,
               sketch_count_bounds(w) AS n,
               sketch_quantile(w, 0.9) AS answer,
               sketch_quantile_bounds(w, 0.9) AS bounds,
               sketch_rank_error(w) AS certified
        FROM {sketches}
        LATERAL VIEW explode(map(
          'last day', sketch_window(delays, '1 day'),
          'last week', sketch_window(delays, '7 days'),
          'last 30 days', sketch_window(delays, '30 days'),
          'last 1 000 flights', sketch_window(delays, among_last(1000)))) asked AS name, w
        ORDER BY origin, n
    """)


def _exact_windows(condition: str) -> str:
    return _sql(f"""
        SELECT concat(origin, ', ', name) AS `window`,
               percentile_disc(0.9) WITHIN GROUP (ORDER BY dep_delay) AS exact
        FROM (
          SELECT origin,
                 dep_delay,
                 max(scheduled) OVER (PARTITION BY origin) - scheduled AS age,
                 row_number() OVER (PARTITION BY origin ORDER BY scheduled DESC) AS nth
          FROM flights
          WHERE {condition}
        )
        LATERAL VIEW explode(map(
          'last day', age < INTERVAL '1' DAY,
          'last week', age < INTERVAL '7' DAY,
          'last 30 days', age < INTERVAL '30' DAY,
          'last 1 000 flights', nth <= 1000)) asked AS name, inside
        WHERE inside
        GROUP BY ALL
    """)


_MOMENTS = ", ".join(f"TIMESTAMP_NTZ'{moment}'" for moment in MOMENTS)


def _then(history: str) -> str:
    return _sql(f"""
        SELECT concat(origin, ', ', moment) AS moment,
               sketch_count_bounds(s) AS n,
               sketch_quantile(s, 0.9) AS answer,
               sketch_quantile_bounds(s, 0.9) AS bounds,
               sketch_rank_error(s) AS certified
        FROM (
          SELECT origin, moment, sketch_at_version({history}, moment) AS s
          FROM airport_histories
          LATERAL VIEW explode(array({_MOMENTS})) asked AS moment
        )
        ORDER BY moment
    """)


def _exact_then(value: str, until: str) -> str:
    return _sql(f"""
        SELECT concat(origin, ', ', moment) AS moment,
               percentile_disc(0.9) WITHIN GROUP (ORDER BY {value}) AS exact
        FROM flown
        LATERAL VIEW explode(array({_MOMENTS})) asked AS moment
        WHERE took_off <= moment AND {until} > moment
        GROUP BY ALL
    """)


def _half(name: str, condition: str) -> str:
    return f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT origin, air_speed FROM flights WHERE {condition}"


def _append(warehouse: Path, rows: str) -> str:
    """Append rows once. Each half of the year has its own writer, so the statements can be pasted again."""
    return f"CALL chronosketch.append({_text(warehouse)}, '{rows}', writer => '{rows}', batch => 1L)"


def _from_warehouse(accuracy: str) -> str:
    return _sql(f"""
        SELECT origin,
               count_low AS n,
               value AS answer,
               named_struct('low', low, 'high', high) AS bounds,
               rank_error / count_low AS certified,
               rows_read,
               rows_total
        FROM warehouse_quantile('air_speeds', 0.9, accuracy => '{accuracy}')
        ORDER BY origin
    """)


def _stored(group: str, name: str) -> str:
    selected = name if group == name else f"{group} AS {name}"
    return _sql(f"""
        SELECT {name},
               sketch_count(s) AS n,
               sketch_quantile(s, 0.99) AS answer,
               sketch_quantile_bounds(s, 0.99) AS bounds,
               sketch_rank_error(s) AS certified
        FROM (SELECT {selected}, sketch_merge_agg(delays) AS s FROM daily_delays GROUP BY ALL)
        ORDER BY {name}
    """)


def _exact(group: str, name: str) -> str:
    selected = name if group == name else f"{group} AS {name}"
    return _sql(f"""
        SELECT {selected}, percentile_disc(0.99) WITHIN GROUP (ORDER BY dep_delay) AS exact
        FROM flights
        GROUP BY ALL
        ORDER BY {name}
    """)


def _sql(indented: str) -> str:
    return dedent(indented).strip()


def _text(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
