"""Draw the space-time plot of the thesis, section 8.1: approaches around a reference in four quadrants."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.advisor.approaches import RECOMPUTING
from chronosketch.errors import ChronosketchError

# matplotlib logs that it builds a font cache on its first run.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from matplotlib import rc_context  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from chronosketch.advisor.advice import Advice, Choice
    from chronosketch.advisor.responses import Prediction


@dataclass(frozen=True)
class Theme:
    """The colours of a page."""

    page: str
    ink: str
    grid: str
    good: str
    ranked: str
    excluded: str


#: The page backgrounds that a plot can be drawn for.
THEMES = {
    "light": Theme("#ffffff", "#24292f", "#d8dee4", "#1a7f37", "#0969da", "#8c959f"),
    "dark": Theme("#0d1117", "#e6edf3", "#30363d", "#3fb950", "#58a6ff", "#7d8590"),
}
_KINDS = (".svg", ".png")


def draw(advice: Advice, file: Path, reference: str | None = None, theme: str = "light") -> None:
    """Draw predicted time over predicted memory.

    Parameters
    ----------
    advice : Advice
        The advice to draw. Excluded approaches are drawn hollow.
    file : Path
        The file to write. Its name ends with .svg or .png.
    reference : str, optional
        The approach at the centre of the four quadrants. Without it that is recomputing, or the best approach
        if recomputing was not measured.
    theme : {"light", "dark"}
        The background of the page.

    Raises
    ------
    ChronosketchError
        If the file's name ends with something else, the theme is neither of the two, or there is no
        prediction for the reference. The message says what to give.
    """
    if file.suffix.lower() not in _KINDS:
        raise ChronosketchError(f"{file} is neither .svg nor .png: name a file that ends with one of these.")
    if theme not in THEMES:
        raise ChronosketchError(f"theme is {theme!r}: give one of {', '.join(THEMES)}.")
    shown = [choice for choice in advice if choice.time and choice.bytes]
    middle = _reference(shown, reference)
    colours = THEMES[theme]
    canvas = Figure(figsize=(9, 6), dpi=120, facecolor=colours.page, layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.add_subplot(facecolor=colours.page)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for choice in shown:
        _point(axes, choice, colours)
    _dress(axes, colours)
    axes.set_title(advice.header(), color=colours.ink, fontsize=11, loc="left")
    _quadrants(axes, middle, colours)
    # Leave room for names on the right, and for the words in the corners.
    axes.set_xlim(*_ends([choice.time for choice in shown], 2, 12))
    axes.set_ylim(*_ends([choice.bytes for choice in shown], 4, 6))
    file.parent.mkdir(parents=True, exist_ok=True)
    # No date and no random ids, so that the same advice gives the same file.
    with rc_context({"svg.hashsalt": "chronosketch"}):
        canvas.savefig(file, metadata={"Date": None} if file.suffix.lower() == ".svg" else {"Software": None})


def _ends(predictions: list[Prediction | None], below: float, above: float) -> tuple[float, float]:
    values = [one.value for one in predictions if one is not None]
    return min(values) / below, max(values) * above


def _reference(shown: list[Choice], reference: str | None) -> Choice:
    names = [choice.approach for choice in shown]
    if not shown:
        raise ChronosketchError("Nothing is predicted for any approach, so there is nothing to draw.")
    if reference is None:
        return next((choice for choice in shown if choice.approach == RECOMPUTING), shown[0])
    if reference not in names:
        raise ChronosketchError(
            f"reference is {reference!r}, for which nothing is predicted: give one of {', '.join(names)}."
        )
    return shown[names.index(reference)]


def _point(axes: Axes, choice: Choice, colours: Theme) -> None:
    if choice.time is None or choice.bytes is None:
        return
    colour = colours.excluded if choice.excluded else colours.good if choice.rank == 1 else colours.ranked
    x, y = choice.time, choice.bytes
    axes.errorbar(
        x.value,
        y.value,
        xerr=[[x.value - max(x.low, x.value / 100)], [x.high - x.value]],
        yerr=[[y.value - max(y.low, y.value / 100)], [y.high - y.value]],
        fmt="o",
        color=colour,
        markerfacecolor="none" if choice.excluded else colour,
        markersize=7,
        elinewidth=0.8,
        alpha=0.9,
    )
    axes.annotate(
        choice.title,
        (x.value, y.value),
        xytext=(7, 7),
        textcoords="offset points",
        color=colour,
        fontsize=9,
        fontweight="bold" if choice.rank == 1 else "normal",
    )


def _quadrants(axes: Axes, middle: Choice, colours: Theme) -> None:
    if middle.time is None or middle.bytes is None:
        return
    axes.set_xlabel(f"{axes.get_xlabel()}; quadrants: beside {middle.title}", color=colours.ink)
    axes.axvline(middle.time.value, color=colours.ink, linewidth=0.8, linestyle="--", alpha=0.6)
    axes.axhline(middle.bytes.value, color=colours.ink, linewidth=0.8, linestyle="--", alpha=0.6)
    corners = (
        (0.01, 0.98, "less time, more memory"),
        (0.99, 0.98, "more time and memory"),
        (0.01, 0.02, "less time and memory"),
        (0.99, 0.02, "more time, less memory"),
    )
    for x, y, text in corners:
        axes.text(
            x,
            y,
            text,
            transform=axes.transAxes,
            ha="left" if x < 0.5 else "right",
            va="bottom" if y < 0.5 else "top",
            color=colours.ink,
            alpha=0.75,
            fontsize=8,
        )


def _dress(axes: Axes, colours: Theme) -> None:
    axes.set_xlabel("predicted CPU time a slide, ns", color=colours.ink)
    axes.set_ylabel("predicted memory, bytes", color=colours.ink)
    axes.tick_params(which="both", colors=colours.ink)
    axes.grid(color=colours.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
