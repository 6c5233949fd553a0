"""Draws the paper's figures 4 to 13 from the stored results, for light and dark pages."""

from __future__ import annotations

from statistics import mean, median
from typing import TYPE_CHECKING, Any

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from histstream.accuracy import KINDS
from histstream.data import DATA, MEMORIES
from histstream.steps import COSTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    Line = dict[str, Any]
    Report = dict[str, list[Line]]
    Panel = Callable[[Axes, list[Line], Theme], None]

_ACROSS = 4
# The style of each line: an index into the theme's colours, or its ink, and the line style.
_STYLES = {
    "accurate": (1, "-", "o"),
    "quick": (0, "-", "s"),
    "GK of all": (2, "-", "^"),
    "KLL of all": (None, "--", "v"),
    "q-digest of all": (None, ":", "D"),
}
_PEERS = {
    "scan": (None, "-", "^"),
    "pushdown": (2, "-", "^"),
    "sketches": (2, "--", "v"),
    "duckdb": (None, "--", "D"),
    "clickhouse": (None, ":", "o"),
    "clickhouse_gk": (None, "-.", "s"),
}


def draw(report: Report, folder: Path, name: str) -> list[Path]:
    """Draw the available figures, once per theme; nothing if no part has them."""
    panels = [(title, panel, lines) for title, part, panel in _panels() if (lines := _new(report, part))]
    if not panels:
        return []
    return [_draw(panels, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _panels() -> list[tuple[str, str, Panel]]:
    errors: list[tuple[str, str, Panel]] = [
        (f"4({letter}) {data}, error by memory", "accuracy", _errors(data))
        for letter, data in zip("abcd", DATA, strict=True)
    ]
    return [
        *errors,
        ("5 error by κ", "kappa", _error_by_kappa),
        ("6 seconds of a step", "steps", _split),
        ("7 seconds of an append by κ", "kappa", _append_by_kappa),
        ("8 share of appends by seconds", "kappa", _cumulative),
        ("9 an accurate median by memory", "accuracy", _query_by_memory),
        ("10 an accurate median by κ", "kappa", _query_by_kappa),
        ("11 an accurate median by window", "windows", _windows),
        ("12 error by steps of history", "growth", _grows("history", "steps")),
        ("13 error by live steps", "growth", _grows("live", "live")),
        ("appends, κ = 10: peaks are merges", "steps", _peaks),
        ("a merge, and sorting again", "steps", _merges),
        ("seconds of a median by rows", "query", _query),
    ]


def _new(report: Report, part: str) -> list[Line]:
    """Return the lines of a part; empty if it was stored in an older form."""
    lines = report.get(part, [])
    has = {"accuracy": "memory", "kappa": "appended", "query": "peers"}.get(part)
    return lines if has is None or (lines and has in lines[0]) else []


def _draw(panels: Sequence[tuple[str, Panel, list[Line]]], theme: Theme, file: Path) -> Path:
    down = -(-len(panels) // _ACROSS)
    canvas = Canvas(figsize=(14.5, 3.1 * down), dpi=110, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    places = canvas.subplots(down, _ACROSS, squeeze=False).flatten()
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    for axes, (title, panel, lines) in zip(places, panels, strict=False):
        panel(axes, lines, theme)
        axes.set_facecolor(theme.page)
        dress(axes, theme, grid="y")
        axes.tick_params(which="both", length=0, labelsize=8)
        axes.set_title(title, color=theme.ink, fontsize=9.5, loc="left")
        handles, _ = axes.get_legend_handles_labels()
        if handles:
            axes.legend(frameon=False, labelcolor=theme.ink, fontsize=7)
    canvas.savefig(file, metadata={"Software": None})
    return file


def _line(
    axes: Axes,
    xs: Sequence[object],
    ys: Sequence[float],
    style: tuple[int | None, str, str],
    theme: Theme,
    label: str,
) -> None:
    colour, dashes, marker = style
    axes.plot(
        xs,  # type: ignore[arg-type]
        ys,
        color=theme.ink if colour is None else theme.lines[colour],
        alpha=0.6 if colour is None else 1.0,
        linestyle=dashes,
        marker=marker,
        markersize=3.5,
        linewidth=1.2,
        label=label,
    )


def _named(axes: Axes, x: str, y: str, theme: Theme) -> None:
    axes.set_xlabel(x, color=theme.ink, fontsize=8)
    axes.set_ylabel(y, color=theme.ink, fontsize=8)


def _at(axes: Axes, xs: Sequence[int]) -> None:
    """Put ticks at exactly these values of a logarithmic axis."""
    axes.set_xscale("log")
    axes.set_xticks(xs, [str(x) for x in xs])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _plain(axis: Axis) -> None:
    """Write the numbers of a logarithmic axis as plain numbers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def _log_errors(axes: Axes, least: float) -> None:
    """Show errors on a logarithmic axis, with zero below the least."""
    axes.set_yscale("symlog", linthresh=least)
    axes.set_ylim(bottom=0)


def _least(values: Sequence[float]) -> float:
    """Return the power of ten below the least non-zero value."""
    above = [value for value in values if value > 0]
    return 10.0 ** int(f"{min(above):e}".split("e")[1]) if above else 1e-9


def _errors(data: str) -> Panel:
    def panel(axes: Axes, lines: list[Line], theme: Theme) -> None:
        mine = [line for line in lines if line["data"] == data]
        for kind in KINDS:
            of = [line for line in mine if line["kind"] == kind]
            xs = [MEMORIES[line["memory"]] >> 10 for line in of]
            _line(axes, xs, [line["mean"] for line in of], _STYLES[kind], theme, kind)
        _at(axes, [size >> 10 for size in MEMORIES.values()])
        _log_errors(axes, _least([line["mean"] for line in mine]))
        _named(axes, "kB", "mean relative error", theme)

    return panel


def _error_by_kappa(axes: Axes, lines: list[Line], theme: Theme) -> None:
    errors = [line["mean"] for line in lines]
    _line(axes, [line["kappa"] for line in lines], errors, _STYLES["accurate"], theme, "accurate")
    if min(errors) > 0:
        axes.set_yscale("log")
        axes.set_ylim(min(errors) / 10, max(errors) * 10)
    else:
        _log_errors(axes, _least(errors))
    _at(axes, [line["kappa"] for line in lines])
    _named(axes, "κ", "mean relative error", theme)


def _split(axes: Axes, lines: list[Line], theme: Theme) -> None:
    steps = [line for line in lines if line["kind"] == "step"]
    colours = [*theme.lines, theme.ink]
    base = 0.0
    for cost, colour in zip(COSTS, colours, strict=True):
        took = mean(line[cost] for line in steps)
        axes.bar(["an append"], [took], bottom=[base], color=colour, width=0.5, label=cost)
        base += took
    loaded = mean(line["loaded"] for line in steps)
    sketch = mean(max(0.0, line["sketch"] - line["read"]) for line in steps)
    axes.bar(["load and GK"], [loaded], color=colours[0], width=0.5)
    axes.bar(["load and GK"], [sketch], bottom=[loaded], color=theme.ink, alpha=0.35, width=0.5, label="GK")
    axes.set_xlim(-0.5, 2.3)
    _named(axes, "", "seconds, mean", theme)


def _append_by_kappa(axes: Axes, lines: list[Line], theme: Theme) -> None:
    kappas = [line["kappa"] for line in lines]
    for f, name, style in ((mean, "mean", (1, "-", "o")), (max, "greatest", (None, "--", "v"))):
        _line(axes, kappas, [f(line["appended"]) for line in lines], style, theme, name)
    axes.set_yscale("log")
    _plain(axes.yaxis)
    _at(axes, kappas)
    _named(axes, "κ", "seconds", theme)


def _cumulative(axes: Axes, lines: list[Line], theme: Theme) -> None:
    chosen = [line for line in lines if line["kappa"] in (2, 5, 10, 30)]
    styles = [(1, "-", ""), (0, "-", ""), (2, "-", ""), (None, "--", "")]
    for line, style in zip(chosen, styles, strict=False):
        seconds = sorted(line["appended"])
        shares = [(i + 1) / len(seconds) for i in range(len(seconds))]
        _line(axes, seconds, shares, style, theme, f"κ = {line['kappa']}")
    axes.set_xscale("log")
    _plain(axes.xaxis)
    axes.set_ylim(0, 1.02)
    _named(axes, "seconds", "share of appends", theme)


def _two(axes: Axes, xs: Sequence[int], lines: list[Line], theme: Theme) -> None:
    """Draw the seconds of a median on the left axis, and the rows that it reads on the right one."""
    _line(axes, xs, [median(line["query_seconds"]) for line in lines], (1, "-", "o"), theme, "seconds")
    axes.set_ylim(bottom=0)
    right = axes.twinx()
    _line(right, xs, [line["rows_read"] / 1000 for line in lines], (2, "--", "^"), theme, "1 000 rows read")
    right.set_ylim(bottom=0)
    dress(right, theme)
    right.grid(visible=False)
    right.tick_params(which="both", length=0, labelsize=8)
    handles, labels = right.get_legend_handles_labels()
    axes.plot(
        [], [], color=handles[0].get_color(), linestyle="--", marker="^", markersize=3.5, label=labels[0]
    )


def _query_by_memory(axes: Axes, lines: list[Line], theme: Theme) -> None:
    of = [line for line in lines if line["data"] == "uniform" and line["kind"] == "accurate"]
    _two(axes, [MEMORIES[line["memory"]] >> 10 for line in of], of, theme)
    _at(axes, [MEMORIES[line["memory"]] >> 10 for line in of])
    _named(axes, "kB; uniform", "seconds", theme)


def _query_by_kappa(axes: Axes, lines: list[Line], theme: Theme) -> None:
    _two(axes, [line["kappa"] for line in lines], lines, theme)
    _at(axes, [line["kappa"] for line in lines])
    _named(axes, "κ", "seconds", theme)


def _windows(axes: Axes, lines: list[Line], theme: Theme) -> None:
    kappas = list(dict.fromkeys(line["kappa"] for line in lines))
    for kappa, style in zip(kappas, ((2, "--", "^"), (1, "-", "o")), strict=False):
        of = [line for line in lines if line["kappa"] == kappa]
        rows = [line["rows_read"] / 1000 for line in of]
        _line(axes, [line["window"] for line in of], rows, style, theme, f"κ = {kappa}")
    axes.set_ylim(bottom=0)
    _named(axes, "steps; normal", "1 000 rows read", theme)


def _grows(what: str, by: str) -> Panel:
    def panel(axes: Axes, lines: list[Line], theme: Theme) -> None:
        of = [line for line in lines if line["grows"] == what]
        kinds = ("accurate", "quick", "GK of all")
        for kind in kinds:
            errors = [line[kind] for line in of]
            _line(axes, [line[by] for line in of], errors, _STYLES[kind], theme, kind)
        _at(axes, [line[by] for line in of])
        _log_errors(axes, _least([line[kind] for kind in kinds for line in of]))
        _named(axes, "steps", "mean relative error", theme)

    return panel


def _peaks(axes: Axes, lines: list[Line], theme: Theme) -> None:
    steps = [line for line in lines if line["kind"] == "step"]
    base = [0.0] * len(steps)
    for cost, colour in zip(COSTS, [*theme.lines, theme.ink], strict=True):
        took = [line[cost] for line in steps]
        axes.bar([line["step"] for line in steps], took, bottom=base, color=colour, width=0.9, label=cost)
        base = [under + more for under, more in zip(base, took, strict=True)]
    _named(axes, "step", "seconds", theme)


def _merges(axes: Axes, lines: list[Line], theme: Theme) -> None:
    of = [line for line in lines if line["kind"] == "merge"]
    places = range(len(of))
    for side, colour, shift in (("merge", theme.lines[1], -0.2), ("append", theme.ink, 0.2)):
        seconds = [line[side] for line in of]
        name = "merge of sorted runs" if side == "merge" else "append as one run"
        axes.bar([place + shift for place in places], seconds, color=colour, width=0.38, label=name)
    axes.set_xticks(places, [f"step {line['step']}" for line in of])
    axes.set_ylim(0, max((line[side] for line in of for side in ("merge", "append")), default=1) * 1.35)
    _named(axes, "", "seconds", theme)


def _query(axes: Axes, lines: list[Line], theme: Theme) -> None:
    rows = [line["rows"] / 1e6 for line in lines]
    for kind in ("accurate", "quick"):
        _line(axes, rows, [median(line[kind]) for line in lines], _STYLES[kind], theme, kind)
    for key, style in _PEERS.items():
        of = [line for line in lines if "seconds" in line["peers"].get(key, {})]
        if of:
            seconds = [line["peers"][key]["seconds"] for line in of]
            name = of[0]["peers"][key]["name"]
            _line(axes, [line["rows"] / 1e6 for line in of], seconds, style, theme, name)
    axes.set_xscale("log")
    _plain(axes.xaxis)
    axes.set_yscale("log")
    axes.set_ylim(top=axes.get_ylim()[1] * 1000)
    _named(axes, "million rows", "seconds", theme)
