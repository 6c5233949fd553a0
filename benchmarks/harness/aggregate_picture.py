"""Draws the throughput for light and dark pages, in the colours of the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas

from harness.figures import KLL, MAX, OURS_3, OURS_4, SPARK_3, SPARK_4
from harness.spread import spaced
from harness.tables import rate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes

    from harness.rounds import Outcome

_OURS = (OURS_3, OURS_4)
_SHOWN = (MAX, OURS_3, OURS_4, KLL, SPARK_3, SPARK_4)


def draw(outcomes: Sequence[Outcome], folder: Path, name: str) -> list[Path]:
    """Draw rows per second, ungrouped and grouped, once per theme; nothing if neither was measured."""
    shown = [outcome for outcome in outcomes if outcome.figure.name in ("ungrouped", "grouped")]
    if not shown:
        return []
    return [_draw(shown, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(outcomes: Sequence[Outcome], theme: Theme, file: Path) -> Path:
    canvas = Canvas(figsize=(9, 3.4), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    panels = canvas.subplots(1, len(outcomes), squeeze=False)[0]
    for axes, outcome in zip(panels, outcomes, strict=True):
        _bars(axes, outcome, theme)
    # Only the first panel shows the names: both panels have the same names in the same order.
    for axes in panels[1:]:
        axes.set_yticklabels([])
    canvas.savefig(file, metadata={"Software": None})
    return file


def _bars(axes: Axes, outcome: Outcome, theme: Theme) -> None:
    rates = [rate(outcome, name) or 0.0 for name in _SHOWN]
    places = range(len(_SHOWN))
    _, ours, _ = theme.lines
    # Peers are drawn in a lighter ink, so that ours stand out without a legend.
    colours = [to_rgba(ours) if name in _OURS else to_rgba(theme.ink, 0.35) for name in _SHOWN]
    axes.barh(places, rates, color=colours, height=0.7)
    label_bars(axes, [(value, f"{value:.3g}" if value else "n/a") for value in rates], theme)
    axes.set_facecolor(theme.page)
    axes.set_yticks(list(places), [_label(name) for name in _SHOWN])
    axes.set_ylim(len(_SHOWN) - 0.5, -0.5)
    axes.set_xlim(0, max(rates) * 1.15 or 1)
    axes.set_xlabel("million rows a second", color=theme.ink, fontsize=9)
    dress(axes, theme, grid="x")
    axes.tick_params(which="both", length=0, labelsize=9)
    title = f"{outcome.figure.title}, {spaced(outcome.figure.rows)} rows"
    axes.set_title(title, color=theme.ink, fontsize=11, loc="left")


def label_bars(axes: Axes, bars: Sequence[tuple[float, str]], theme: Theme) -> None:
    """Write a text beside the end of each horizontal bar, given with the bar's length from the first place on."""
    for place, (length, text) in enumerate(bars):
        axes.annotate(
            text,
            (length, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=theme.ink,
            fontsize=9,
        )


def _label(name: str) -> str:
    return name.replace("(v, 0.99, ", "(v, φ, ")
