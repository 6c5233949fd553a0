"""`chronosketch advise` and `chronosketch calibrate`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from chronosketch.advisor.advice import COLUMNS
from chronosketch.advisor.advice import advise as ask
from chronosketch.advisor.approaches import title_of
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.calibration.on_spark import measure_frames
from chronosketch.advisor.calibration.running import GRIDS, command, measure
from chronosketch.advisor.cost_model import FILE, read_text
from chronosketch.advisor.drift import drift, median_ratio
from chronosketch.console import err, one_message, out, showing
from chronosketch.errors import ChronosketchError
from chronosketch.installed import pip_install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from chronosketch.advisor.calibration.fitting import Calibrated

_FITTING = ("matplotlib", "numpy", "pandas", "patsy", "scipy", "statsmodels")
MEASUREMENTS = "measurements.jsonl"
# If speeds differ by more than this factor, the model is of a different machine.
_OTHER_MACHINE = 2.0


def advise(
    aggregate: Annotated[
        str | None, typer.Argument(help="What to compute: quantile, variance, count, sum, average, ...")
    ] = None,
    retention: Annotated[
        str | None, typer.Option(help="How long the window is, such as '1 hour'. Needs --rate.")
    ] = None,
    slide: Annotated[
        str | None, typer.Option(help="How far the window moves, such as '1 minute'. Needs --rate.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="How many rows come each second.")] = None,
    retention_rows: Annotated[int | None, typer.Option(help="How long the window is, in rows.")] = None,
    slide_rows: Annotated[int | None, typer.Option(help="How far the window moves, in rows.")] = None,
    epsilon: Annotated[float, typer.Option(help="The error that you allow, as a share. 0 is exact.")] = 0.0,
    delta: Annotated[
        float | None, typer.Option(help="The chance of a larger error that you allow. Leave out for none.")
    ] = None,
    memory: Annotated[str | None, typer.Option(help="The most memory to use, such as '64m'.")] = None,
    model: Annotated[
        Path | None, typer.Option(help=f"The {FILE} to predict from. The default is the package's own.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw time against memory into this .svg or .png file.")
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="The approach at the centre of the plot's four quadrants.")
    ] = None,
    theme: Annotated[str, typer.Option(help="The background of the plot: light or dark.")] = "light",
    log: Annotated[
        Path | None,
        typer.Option("--drift", help="Compare predictions with this Spark event log instead."),
    ] = None,
) -> None:
    """Find the best way to compute an aggregate of a sliding window: recompute, keep a summary, or sample."""
    with one_message():
        if log is not None:
            _print_drift(log)
            return
        if aggregate is None:
            raise ChronosketchError(
                "Name an aggregate, as in `chronosketch advise quantile`, or give --drift and a log."
            )
        advice = ask(
            aggregate=aggregate,
            retention=retention,
            slide=slide,
            rate=rate,
            retention_rows=retention_rows,
            slide_rows=slide_rows,
            epsilon=epsilon,
            delta=delta,
            memory=memory,
            model=model,
        )
        table = Table(*COLUMNS, box=box.SIMPLE_HEAD, title=advice.header(), title_justify="left")
        for i, row in enumerate(advice.rows()):
            table.add_row(*(Text(cell) for cell in row), style="bold" if i == 0 else "")
        out.print(table)
        for note in advice.notes():
            # a statement must not be broken into lines
            out.print(note, highlight=False, markup=False, soft_wrap=True)
        if plot is not None:
            with _extra():
                from chronosketch.advisor.plots import draw

                draw(advice, plot, reference, theme)
            out.print(f"drawn in {plot}", highlight=False)


def _print_drift(log: Path) -> None:
    with showing(err, "Reading"):
        found = drift(log)
    if not found:
        out.print(f"No query of {log} had large frames whose costs were predicted.", highlight=False)
        return
    table = Table(
        "query",
        "structure",
        "rows",
        "ns a row",
        "predicted",
        "times",
        "KiB a task",
        "predicted",
        "times",
        box=box.SIMPLE_HEAD,
    )
    for one in found:
        table.add_row(
            str(one.query),
            one.structure,
            f"{one.rows:,}",
            f"{one.nanos:.0f}",
            f"{one.predicted_nanos:.0f}",
            f"{one.time_ratio:.2f}",
            f"{one.bytes / 1024:.0f}",
            f"{one.predicted_bytes / 1024:.0f}",
            f"{one.bytes_ratio:.2f}",
        )
    out.print(table)
    times = median_ratio(found)
    out.print(f"Rows took {times:.2f} times the predicted time, in the median of queries.", highlight=False)
    if not 1 / _OTHER_MACHINE < times < _OTHER_MACHINE:
        out.print(
            "The model is of another machine, or of other work: run `chronosketch calibrate` here, and set "
            "spark.chronosketch.advice.model to its file.",
            highlight=False,
        )


def calibrate(
    grid: Annotated[
        str, typer.Option(help="How many workloads to measure: small, default or large.")
    ] = "default",
    seconds: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after about this many seconds, and after as many again on Spark."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="The seed for the data, and for which workloads are kept out of fitting.")
    ] = 1,
    folder: Annotated[Path, typer.Option("--out", help="The folder to write all files to.")] = Path(
        "chronosketch-calibration"
    ),
    stored: Annotated[
        Path | None, typer.Option("--from", help="Measure nothing. Fit the measurements in this file.")
    ] = None,
    on_spark: Annotated[
        bool, typer.Option("--spark/--no-spark", help="Whether to measure large frames on Spark, too.")
    ] = True,
) -> None:
    """Measure the costs of sliding windows on this machine, and write the cost model that advise reads."""
    with one_message():
        if grid not in GRIDS:
            raise ChronosketchError(f"grid is {grid!r}: give one of {', '.join(GRIDS)}.")
        with _extra():
            # Before anything is measured: what fitting needs has to be there.
            from chronosketch.advisor.calibration.report import REPORT, write
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise ChronosketchError(
                f"The folder {folder} cannot be made ({reason.strerror}). Name another one with --out."
            ) from None
        file = stored or folder / MEASUREMENTS
        if stored is None:
            with _bar() as progress:
                measure(command(grid, seconds, seed), file, progress)
            if on_spark:
                with _bar() as progress:
                    measure_frames(file, grid, seconds, seed, progress)
        text = read_text(file, f"the {MEASUREMENTS} of an earlier calibration")
        with showing(err, "Fitting"):
            calibrated, checked = write(read_measurements(text.splitlines(), str(file)), seed, folder)
        out.print(_summary(calibrated))
        for one in calibrated.left_out:
            out.print(f"left out: {one}", highlight=False)
        if checked:
            good = sum(one.ratio <= 1.1 for one in checked)
            out.print(
                f"{good} of {len(checked)} choices at workloads kept out are the best, or within 10 % of it",
                highlight=False,
            )
        out.print(f"{folder / FILE}, {folder / REPORT}", highlight=False)


def _summary(calibrated: Calibrated) -> Table:
    table = Table(
        "aggregate",
        "approach",
        "cells",
        "time is off by",
        "memory is off by",
        box=box.SIMPLE_HEAD,
        title="Median error at workloads kept out",
        title_justify="left",
    )
    for group in calibrated.groups:
        errors = [group.fitted[name].validated for name in ("time", "bytes")]
        shares = ["-" if one is None else f"{one.median_relative:.1%}" for one in errors]
        table.add_row(group.aggregate, title_of(group.approach), str(len(group.cells)), *shares)
    return table


@contextmanager
def _bar() -> Iterator[Callable[[int, int, str], None]]:
    """Show how many cells are measured, as a temporary line on a terminal."""
    columns = (TextColumn("Measuring"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(
        *columns, TextColumn("{task.description}"), console=err, transient=True, disable=not err.is_terminal
    )
    with shown:
        task = shown.add_task("starting", total=None)
        yield lambda done, total, cell: shown.update(task, completed=done, total=total, description=cell)


@contextmanager
def _extra() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] not in _FITTING:
            raise
        needed = pip_install("advisor", str(missing.name))
        raise ChronosketchError(f"This needs {missing.name}: {needed}") from None
