"""Draws the results of QLOVE's benchmark for light and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.demo.picture import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

if TYPE_CHECKING:
    from pathlib import Path

    from chronosketch.demo.picture import Theme
    from matplotlib.axes import Axes

    from harness.markdown_tables import Table

# Errors below this are drawn here, so that they appear on the logarithmic axis.
_LEAST = 0.005
_STYLES = ("-", "--", ":", "-.", (0, (1, 3)), (0, (5, 3, 1, 3, 1, 3)), (0, (8, 2)))


def draw(tables: list[Table], folder: Path, name: str) -> None:
    """Draw the picture, once per theme."""
    for theme in THEMES:
        canvas = Canvas(figsize=(11, 4.2), dpi=110, facecolor=theme.page, layout="constrained")
        FigureCanvasAgg(canvas)
        left, right = canvas.subplots(1, 2)
        _errors(left, tables, theme)
        _throughput(right, tables, theme)
        for axes in (left, right):
            axes.set_facecolor(theme.page)
            dress(axes, theme, grid="y")
            axes.tick_params(which="both", length=0, labelsize=8)
            axes.legend(frameon=False, labelcolor=theme.ink, fontsize=7)
        canvas.savefig(folder / f"{name}-{theme.name}.png", metadata={"Software": None})


def _errors(axes: Axes, tables: list[Table], theme: Theme) -> None:
    off = _titled(tables, "Table 2")
    half = _titled(tables, "Beside Tables 3 and 4")
    panes = [row[0] for row in half.rows]
    lines = (
        ("mean of the panes", [off.number("off Q0.999", pane=pane) for pane in panes], theme.ink, "--"),
        (
            "few-k, half of what is needed",
            [half.number("no burst", pane=pane) for pane in panes],
            theme.lines[1],
            "-",
        ),
        (
            "the same, bursts × 10",
            [half.number("burst × 10", pane=pane) for pane in panes],
            theme.lines[1],
            ":",
        ),
    )
    for label, errors, colour, style in lines:
        axes.plot(
            panes,
            [max(error, _LEAST) for error in errors],
            color=colour,
            linestyle=style,
            marker="o",
            markersize=3,
            linewidth=1.2,
            label=label,
        )
    axes.set_yscale("log")
    axes.set_xlabel("rows a pane, windows of 128K", color=theme.ink, fontsize=8)
    axes.set_title("Value error at Q0.999, percent (NetMon)", color=theme.ink, fontsize=9.5, loc="left")


def _throughput(axes: Axes, tables: list[Table], theme: Theme) -> None:
    table = next(t for t in tables if t.title.startswith("Figure 5") and t.title.endswith("NetMon"))
    windows = [int(column.removeprefix("window ").replace(",", "")) for column in table.columns[1:]]
    rivals = [row for row in table.rows if row[0] != "QLOVE"]
    for row, style in [(row, "-") for row in table.rows if row[0] == "QLOVE"] + list(
        zip(rivals, _STYLES, strict=False)
    ):
        measured = [(window, float(cell)) for window, cell in zip(windows, row[1:], strict=True) if cell]
        ours = row[0].startswith("QLOVE")
        axes.plot(
            [window for window, _ in measured],
            [rate for _, rate in measured],
            color=theme.lines[1] if ours else theme.ink,
            linestyle=style,
            linewidth=1.6 if row[0] == "QLOVE" else 1.0,
            alpha=1.0 if ours else 0.7,
            label=row[0],
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rows a window, slides of 1K", color=theme.ink, fontsize=8)
    axes.set_title("Million rows a second of one core (NetMon)", color=theme.ink, fontsize=9.5, loc="left")


def _titled(tables: list[Table], begins: str) -> Table:
    return next(table for table in tables if table.title.startswith(begins))
