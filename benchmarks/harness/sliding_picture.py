"""Draws the throughput of sliding frames by frame length, for light and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from harness.sliding import LENGTHS, SORT, SUM, p99
from harness.spread import spaced
from harness.tables import rate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes

    from harness.rounds import Outcome

_TITLES = {"ordered": "rows in order of time", "shuffled": "rows in no order"}
_ALONE = {SUM: "Spark's running sum", SORT: "Spark's sort alone"}


def draw(outcomes: Sequence[Outcome], folder: Path, name: str) -> list[Path]:
    """Draw ours, Spark and its peers, ordered and shuffled, once per theme; nothing if neither was measured."""
    by_name = {outcome.figure.name: outcome for outcome in outcomes}
    shown = [data for data in _TITLES if data in by_name]
    if not shown:
        return []
    return [_draw(shown, by_name, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(shown: Sequence[str], by_name: dict[str, Outcome], theme: Theme, file: Path) -> Path:
    canvas = Canvas(figsize=(9, 3.6), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    panels = canvas.subplots(1, len(shown), squeeze=False, sharey=True)[0]
    for axes, data in zip(panels, shown, strict=True):
        _lines(axes, by_name[data], by_name.get(f"peers-{data}"), theme)
        axes.set_title(
            f"{_TITLES[data]}, {spaced(by_name[data].figure.rows)}", color=theme.ink, fontsize=11, loc="left"
        )
    panels[0].set_ylabel("million rows a second", color=theme.ink, fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    canvas.legend(
        handles, labels, frameon=False, labelcolor=theme.ink, fontsize=8, loc="outside lower center", ncols=5
    )
    canvas.savefig(file, metadata={"Software": None})
    return file


def _lines(axes: Axes, spark: Outcome, peers: Outcome | None, theme: Theme) -> None:
    _, ours, _ = theme.lines
    _line(axes, theme, ours, "exact p99, chronosketch", [rate(spark, p99(w)) for w in LENGTHS], width=2.4)
    for name, style in (("DuckDB", "--"), ("Polars", ":")):
        if peers is not None:
            rates = [rate(peers, f"{name} {p99(w)}") for w in LENGTHS]
            _line(axes, theme, theme.ink, f"exact p99, {name}", rates, style=style)
    for name, style in ((SUM, "-."), (SORT, "-")):
        _line(
            axes, theme, theme.ink, _ALONE[name], [rate(spark, name)] * len(LENGTHS), style=style, width=0.9
        )
    axes.set_facecolor(theme.page)
    axes.set_xscale("log")
    axes.set_xticks(LENGTHS, [spaced(w) for w in LENGTHS])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rows in a frame", color=theme.ink, fontsize=9)
    dress(axes, theme, grid="y")
    axes.tick_params(which="both", length=0, labelsize=9)


def _line(
    axes: Axes,
    theme: Theme,
    colour: str,
    label: str,
    rates: Sequence[float | None],
    style: str = "-",
    width: float = 1.3,
) -> None:
    points = [(w, r) for w, r in zip(LENGTHS, rates, strict=True) if r]
    alpha = 1.0 if colour != theme.ink else 0.7
    axes.plot(
        *zip(*points, strict=True), color=colour, linestyle=style, linewidth=width, label=label, alpha=alpha
    )
