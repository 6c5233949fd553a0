"""Draws the figures of the paper on windows with our results, for light and dark pages."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from chronosketch.demo.picture import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronosketch.demo.picture import Theme
    from matplotlib.axes import Axes

    Point = dict[str, Any]

_STYLES = ("-", "--", ":")
_TITLES = {
    "5a": "5(a) error by quantile, two windows",
    "5b": "5(b) error by quantile, three streams",
    "8a": "8(a) words, windows of time",
    "8b": "8(b) words, the last N rows, 60 % kept",
    "6a": "6(a) tuples by the longest window, ε = 0.05",
    "6b": "6(b) tuples by ε",
    "7a": "7(a) nanoseconds an insertion",
}


def draw(points: Sequence[Point], folder: Path, name: str) -> list[Path]:
    """Draw all figures, once per theme."""
    return [_draw(points, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(points: Sequence[Point], theme: Theme, file: Path) -> Path:
    canvas = Canvas(figsize=(11, 9.5), dpi=110, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    panels = canvas.subplots(3, 3).flatten()
    for axes, figure in zip(panels, _TITLES, strict=False):
        of = [point for point in points if point["figure"] == figure]
        if "error" in of[0]:
            _errors(axes, of, theme)
        elif "greatest" in of[0]:
            _space(axes, of, theme)
        else:
            _times(axes, of, theme)
        axes.set_title(_TITLES[figure], color=theme.ink, fontsize=9.5, loc="left")
        axes.set_facecolor(theme.page)
        dress(axes, theme, grid="y")
        axes.tick_params(which="both", length=0, labelsize=8)
        axes.legend(frameon=False, labelcolor=theme.ink, fontsize=7)
    for axes in panels[len(_TITLES) :]:
        axes.remove()
    canvas.savefig(file, metadata={"Software": None})
    return file


def _colour(side: str, theme: Theme) -> str:
    return theme.lines[1] if side == "ours" else theme.ink


def _errors(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    whats = list(dict.fromkeys(point["what"] for point in points))
    for side in dict.fromkeys(point["side"] for point in points):
        for what, style in zip(whats, _STYLES, strict=False):
            of = [point for point in points if (point["what"], point["side"]) == (what, side)]
            axes.plot(
                [point["phi"] for point in of],
                [point["error"] for point in of],
                color=_colour(side, theme),
                linestyle=style,
                linewidth=1.1,
                alpha=1.0 if side == "ours" else 0.55,
                label=f"{side}, {what}",
            )
    axes.axhline(0.05, color=theme.ink, linewidth=0.8)
    axes.set_ylim(0, 0.055)


def _space(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    whats = list(dict.fromkeys(point["what"] for point in points))
    for side in ("ours", "nested"):
        of = [point for point in points if point["side"] == side]
        for what, style in (("greatest", "-"), ("mean", ":")):
            axes.plot(
                range(len(whats)),
                [point[what] for point in of],
                color=_colour(side, theme),
                linestyle=style,
                marker="o",
                markersize=3,
                linewidth=1.1,
                label=f"{side}, {what}",
            )
    axes.set_xticks(range(len(whats)), whats)
    axes.set_ylim(bottom=0)


def _times(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    for side in ("nested", "ours"):
        of = [point for point in points if point["side"] == side]
        times = [point["nanoseconds"] for point in of]
        axes.plot(
            [int(point["what"]) / 1000 for point in of],
            times,
            color=_colour(side, theme),
            linewidth=0.8,
            label=f"{side}, median {statistics.median(times):.0f}",
        )
    axes.set_yscale("log")
    axes.set_xlabel("thousand rows inserted", color=theme.ink, fontsize=8)
