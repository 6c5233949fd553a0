"""Draw quantiles by hour with their certified bounds, for light and dark pages."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

# matplotlib logs that it builds a font cache on its first run.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

from chronosketch.demo.tables import percentile  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from chronosketch.demo.checking import CheckedAnswer


_BAND = 0.3  # the opacity of a band of bounds


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


def draw(answers: Sequence[CheckedAnswer], folder: Path) -> list[Path]:
    """Draw the delays by hour for each theme, and return the files."""
    return [_draw(answers, theme, folder / f"delays-{theme.name}.png") for theme in THEMES]


def _draw(answers: Sequence[CheckedAnswer], theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 4.6), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=theme.page)
    phis = list(dict.fromkeys(answer.phi for answer in answers))
    for phi, colour in zip(phis, theme.lines, strict=True):
        _line(axes, [answer for answer in answers if answer.phi == phi], colour, theme)
    worst = max(answer.certified for answer in answers)
    _title(axes, f"Departure delay by hour of the schedule, certified within {worst:.2%} of ranks", theme)
    axes.set_xlabel("hour of the scheduled departure", color=theme.ink)
    axes.set_ylabel("minutes", color=theme.ink)
    dress(axes, theme)
    axes.set_xticks(sorted({int(answer.group) for answer in answers}))
    handles = [
        Patch(color=theme.ink, alpha=_BAND, linewidth=0, label="certified bounds: the exact value is inside"),
        Line2D([], [], color=theme.ink, linewidth=1.8, label="answer of the sketch"),
        Line2D([], [], color=theme.ink, marker="o", linestyle="", markersize=3, label="exact, from sorting"),
    ]
    axes.legend(handles=handles, frameon=False, labelcolor=theme.ink, loc="upper left", fontsize=9)
    figure.savefig(file, metadata={"Software": None})
    return file


def _line(axes: Axes, answers: Sequence[CheckedAnswer], colour: str, theme: Theme) -> None:
    hours = [int(answer.group) for answer in answers]
    low, high = [answer.low for answer in answers], [answer.high for answer in answers]
    axes.fill_between(
        hours,
        low,
        high,
        color=colour,
        alpha=_BAND,
        linewidth=0,
    )
    axes.plot(hours, [answer.answer for answer in answers], color=colour, linewidth=1.8)
    exact = [answer.exact for answer in answers]
    axes.plot(hours, exact, "o", color=theme.ink, markersize=2.8)
    axes.annotate(
        percentile(answers[0].phi),
        (hours[-1], answers[-1].answer),
        xytext=(8, -3),
        textcoords="offset points",
        color=colour,
        fontweight="bold",
    )


def _title(axes: Axes, text: str, theme: Theme) -> None:
    axes.set_title(text, color=theme.ink, fontsize=11, loc="left")
