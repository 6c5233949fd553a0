"""Run the demo from its first line to its last."""

from __future__ import annotations

from contextlib import ExitStack
from time import perf_counter
from typing import TYPE_CHECKING

from rich.text import Text

from chronosketch.cli_session import quiet_session
from chronosketch.console import showing
from chronosketch.demo.chapters import Chapters
from chronosketch.demo.flights import load, store
from chronosketch.demo.picture import draw
from chronosketch.demo.queries import THEN
from chronosketch.demo.tables import answers_table, reading_table, summary
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from chronosketch.demo.checking import CheckedAnswer


def run(out: Console, progress: Console, folder: Path) -> None:
    """Run the demo: print each statement, then its answers and how they compare with the exact ones.

    Parameters
    ----------
    out : rich.console.Console
        The console to print to.
    progress : rich.console.Console
        The console that shows what is being done.
    folder : pathlib.Path
        The folder to write to: the data, the stored sketches, the pictures and ``demo.sql``.

    Raises
    ------
    ChronosketchError
        If the folder cannot be written to: name another one. Also if an answer breaks its promise.
    """
    started = perf_counter()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        with showing(progress, "Reading the flights of 2013"):
            flights = load()
            raw_file = folder / "flights.parquet"
            store(flights, raw_file)
    except OSError as reason:
        raise ChronosketchError(
            f"{folder} cannot be written to ({reason}). Name another folder with --folder."
        ) from None
    with ExitStack() as resources:
        with showing(progress, "Starting Spark"):
            spark = resources.enter_context(quiet_session("chronosketch demo"))
            chapters = Chapters(spark, flights, raw_file, folder / "daily_delays.parquet")
        sql = chapters.sql
        (folder / "demo.sql").write_text(sql.as_file(), encoding="utf-8")
        _say(out, f"All flights from New York in 2013: {len(flights):,} rows in {raw_file}")
        _show(out, sql.departures)
        _show(out, sql.flights)

        _say(out, "1  Departure delay by carrier, in minutes, at the default ε of 0.0001")
        _show(out, sql.delays_by_carrier)
        with showing(progress, "Asking", spark):
            delays = chapters.delays_by_carrier()
        _table(out, delays, "carrier", "minutes")

        _say(
            out,
            "2  Air speed by carrier, in miles per hour, at ε = 0.01. With many values, low and high differ",
        )
        _show(out, sql.speeds_by_carrier)
        with showing(progress, "Asking", spark):
            speeds = chapters.speeds_by_carrier()
        _table(out, speeds, "carrier", "mph")

        _say(
            out,
            "3  A sketch of the delays for each day and airport, as Parquet, at the default ε of 0.001",
        )
        _show(out, sql.store)
        _show(out, sql.daily_delays)
        with showing(progress, "Building sketches", spark):
            sketches = chapters.store_sketches()
        _say(
            out,
            f"{sketches:,} sketches are stored. p99 of each airport from them, and from the raw column:",
        )
        _show(out, sql.stored_by_airport)
        _show(out, sql.exact_by_airport)
        with showing(progress, "Merging sketches", spark):
            by_airport = chapters.stored_by_airport()
        _table(out, by_airport.answers, "airport", "minutes")
        out.print(reading_table(by_airport))
        _say(out, "p99 of each month from the same sketches:")
        _show(out, sql.stored_by_month)
        _show(out, sql.exact_by_month)
        with showing(progress, "Merging sketches", spark):
            by_month = chapters.stored_by_month()
        _table(out, by_month.answers, "month", "minutes")
        out.print(reading_table(by_month))

        _say(out, "4  Any window that ends now: one window sketch for each airport, at ε = 0.02")
        _show(out, sql.store_windows)
        _show(out, sql.airport_windows)
        with showing(progress, "Building sketches", spark):
            size = chapters.store_windows()
        _say(out, f"{size:,} bytes are stored. p90 of some windows that end at the last flight:")
        _show(out, sql.windows_now)
        _show(out, sql.exact_windows_now)
        with showing(progress, "Asking", spark):
            now = chapters.windows_now()
        _table(out, now, "window", "minutes")

        _say(
            out,
            f"Windows that end on {THEN}: one window sketch for each day and airport, merged up to that day",
        )
        _show(out, sql.store_daily_windows)
        _show(out, sql.daily_windows)
        with showing(progress, "Building sketches", spark):
            chapters.store_daily_windows()
        _show(out, sql.windows_then)
        _show(out, sql.exact_windows_then)
        with showing(progress, "Merging sketches", spark):
            then = chapters.windows_then()
        _table(out, then, "window", "minutes")

        _say(out, "5  Any past moment: histories for each airport of what comes and goes, at ε = 0.02")
        _show(out, sql.flown)
        _show(out, sql.store_histories)
        _show(out, sql.airport_histories)
        with showing(progress, "Building histories", spark):
            of_aircraft, of_delays = chapters.store_histories()
        _say(
            out,
            f"{of_aircraft:,} bytes keep every take-off and landing. p90 of the miles of flights in the air:",
        )
        _show(out, sql.aircraft_then)
        _show(out, sql.exact_aircraft_then)
        with showing(progress, "Asking", spark):
            aircraft = chapters.aircraft_then()
        _table(out, aircraft, "moment", "miles")
        _say(out, f"{of_delays:,} bytes keep the delays of the thirty days before any moment. Their p90:")
        _show(out, sql.delays_then)
        _show(out, sql.exact_delays_then)
        with showing(progress, "Asking", spark):
            delays_then = chapters.delays_then()
        _table(out, delays_then, "moment", "minutes")

        _say(out, "6  A warehouse: sorted files, one step for each half-year, with summaries at ε = 0.01")
        for statement in (
            sql.create_warehouse,
            sql.first_half,
            sql.append_first,
            sql.second_half,
            sql.append_second,
            sql.register,
        ):
            _show(out, statement)
        with showing(progress, "Sorting", spark):
            chapters.fill_warehouse()
        _say(out, "p90 of the air speed: quickly from summaries, then exactly from a few pages of the files:")
        _show(out, sql.exact_speeds)
        for statement, ask in (
            (sql.speeds_quick, chapters.speeds_quick),
            (sql.speeds_accurate, chapters.speeds_accurate),
        ):
            _show(out, statement)
            with showing(progress, "Asking", spark):
                found = ask()
            _table(out, found.answers, "airport", "mph")
            out.print(f"{found.rows_read:,} of {found.rows_total:,} rows were read.", highlight=False)

        _say(out, "7  Delays by the hour of the scheduled departure, at ε = 0.005, as a picture")
        _show(out, sql.delays_by_hour)
        with showing(progress, "Drawing", spark):
            pictures = draw(chapters.delays_by_hour(), folder)
    out.print()
    for file in (*pictures, folder / "demo.sql"):
        out.print(str(file), highlight=False, soft_wrap=True)
    _say(out, f"To run all of this SQL again: chronosketch sql {folder / 'demo.sql'}")
    out.print(f"{perf_counter() - started:.0f} s", style="dim", highlight=False)


def _table(out: Console, answers: list[CheckedAnswer], group: str, unit: str) -> None:
    out.print(answers_table(answers, group, unit))
    out.print(summary(answers), highlight=False)


def _say(out: Console, sentence: str) -> None:
    out.print()
    out.print(Text(sentence, style="bold"), soft_wrap=True)


def _show(out: Console, statement: str) -> None:
    # Neither wrapped nor padded, so that it can be copied.
    out.print()
    out.print(Text(f"{statement};", style="cyan"), soft_wrap=True)
