"""Draws what dashboards cost with and without a roll-up, and how long its refreshes take, for light and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure as Canvas

from harness.aggregate_picture import label_bars
from harness.dashboards import SPANS
from harness.spread import Spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes

# drawn in a lighter ink, for scale
_BESIDE = ("rebuild", "reading the file")


def draw(
    queries: Sequence[Mapping[str, Any]], steps: Mapping[str, Sequence[float]], folder: Path, name: str
) -> list[Path]:
    """Draw the mean seconds of a query by its range, and the seconds of steps, once per theme.

    Parameters
    ----------
    queries : sequence of dict
        The stored queries, each with its ``span`` and the ``costs`` of each side.
    steps : dict
        The seconds of each round, by what was refreshed.
    folder, name : Path, str
        Where the files go, and the beginning of their names.
    """
    return [_draw(queries, steps, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(
    queries: Sequence[Mapping[str, Any]], steps: Mapping[str, Sequence[float]], theme: Theme, file: Path
) -> Path:
    canvas = Canvas(figsize=(9, 3.4), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    left, right = canvas.subplots(1, 2)
    _questions(left, queries, theme)
    _steps(right, steps, theme)
    for axes, title in ((left, "cost: a query of a dashboard"), (right, "lag: a refresh")):
        axes.set_title(title, color=theme.ink, fontsize=11, loc="left")
        axes.set_facecolor(theme.page)
        axes.tick_params(which="both", length=0, labelsize=9)
    canvas.savefig(file, metadata={"Software": None})
    return file


def _questions(axes: Axes, queries: Sequence[Mapping[str, Any]], theme: Theme) -> None:
    _, ours, _ = theme.lines
    sides = dict.fromkeys(side for query in queries for side in query["costs"])
    for side, style in zip(sides, (":", "--", "-.", "-"), strict=False):
        means = [_mean(queries, span, side) for span in SPANS]
        places = [i for i, mean in enumerate(means) if mean is not None]
        is_ours = side in ("roll-up", "table, rewritten")
        axes.plot(
            places,
            [means[i] for i in places],
            color=ours if is_ours else theme.ink,
            linestyle=style,
            marker="o",
            markersize=3,
            label=side,
        )
    axes.set_yscale("log")
    axes.set_xticks(range(len(SPANS)), list(SPANS))
    axes.set_xlabel("range of the query", color=theme.ink, fontsize=9)
    axes.set_ylabel("seconds, mean of its queries", color=theme.ink, fontsize=9)
    dress(axes, theme)
    axes.legend(frameon=False, labelcolor=theme.ink, fontsize=8)


def _mean(queries: Sequence[Mapping[str, Any]], span: str, side: str) -> float | None:
    of_span = [query["costs"] for query in queries if query["span"] == span]
    medians = [Spread.of(costs[side]["seconds"]).median for costs in of_span if side in costs]
    return sum(medians) / len(medians) if medians else None


def _steps(axes: Axes, steps: Mapping[str, Sequence[float]], theme: Theme) -> None:
    _, ours, _ = theme.lines
    medians = [Spread.of(seconds).median for seconds in steps.values()]
    places = range(len(steps))
    colours = [to_rgba(theme.ink, 0.35) if name in _BESIDE else to_rgba(ours) for name in steps]
    axes.barh(places, medians, color=colours, height=0.7)
    label_bars(axes, [(value, f"{value:.3g}") for value in medians], theme)
    axes.set_yticks(list(places), [name.replace(", ", ",\n") for name in steps])
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.set_xlim(0, max(medians) * 1.15)
    axes.set_xlabel("seconds", color=theme.ink, fontsize=9)
    dress(axes, theme, grid="x")
