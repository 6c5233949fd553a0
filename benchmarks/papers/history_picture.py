"""Draws the figures of the paper on any past version with our results, for light and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes

    Point = dict[str, Any]

SIDES = ("ours", "simple")
# The bytes of the paper's own structure at ρ = 1, as printed or drawn in §4.2.
_PAPERS = ((0.05, 80_000), (0.00625, 1_050_000))


def draw(points: Sequence[Point], folder: Path, name: str) -> list[Path]:
    """Draw all figures, once per theme."""
    return [_draw(points, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(points: Sequence[Point], theme: Theme, file: Path) -> Path:
    canvas = Canvas(figsize=(11, 9.5), dpi=110, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    panels = canvas.subplots(3, 3).flatten()
    _space(panels[0], points, theme)
    _ratios(panels[1], points, theme)
    _versions(panels[2], points, theme, "ratio 1", 80, "7 error by changes, 80 kB")
    _budgets(panels[3], points, theme, "ratio 1", "budget", "8(a) error by kB")
    _budgets(panels[4], points, theme, "", "ratio", "8(b) error by ρ, 320 kB")
    _shape(panels[5], points, theme)
    _versions(panels[6], points, theme, "ports", 250, "10(a) ports, error by changes, 250 kB")
    _versions(panels[7], points, theme, "ports", 4000, "10(b) ports, the same, 4 MB")
    _budgets(panels[8], points, theme, "ports", "budget", "11 ports, error by kB")
    for axes in panels:
        axes.set_facecolor(theme.page)
        dress(axes, theme, grid="y")
        axes.tick_params(which="both", length=0, labelsize=8)
        axes.legend(frameon=False, labelcolor=theme.ink, fontsize=7)
    canvas.savefig(file, metadata={"Software": None})
    return file


def _colour(side: str, theme: Theme) -> str:
    return theme.lines[1] if side == "ours" else theme.ink


def _of(points: Sequence[Point], part: str, **values: object) -> list[Point]:
    return [p for p in points if p["part"] == part and all(p.get(k) == v for k, v in values.items())]


def _title(axes: Axes, text: str, theme: Theme) -> None:
    axes.set_title(text, color=theme.ink, fontsize=9.5, loc="left")


def _space(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    for side in SIDES:
        for data, style in (("ratio 1", "-"), ("ratio 4", "--"), ("drifting", ":")):
            of = _of(points, "sweep", side=side, data=data)
            label = f"{side}, {data.replace('ratio', 'ρ =')}"
            axes.plot(
                [str(p["epsilon"]) for p in of],
                [p["bytes"] for p in of],
                color=_colour(side, theme),
                linestyle=style,
                marker="o",
                markersize=3,
                linewidth=1.1,
                alpha=1.0 if side == "ours" else 0.6,
                label=label,
            )
    axes.plot(
        [str(epsilon) for epsilon, _ in _PAPERS],
        [size for _, size in _PAPERS],
        "x",
        color=theme.lines[2],
        markersize=6,
        label="the paper's forest, ρ = 1",
    )
    axes.set_yscale("log")
    _title(axes, "6(a) bytes by ε", theme)


def _ratios(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    for side in SIDES:
        of = [p for p in _of(points, "sweep", side=side, epsilon=0.025) if p["data"].startswith("ratio")]
        axes.plot(
            [p["data"].removeprefix("ratio ") for p in of],
            [p["bytes"] for p in of],
            color=_colour(side, theme),
            marker="o",
            markersize=3,
            linewidth=1.1,
            label=side,
        )
    axes.set_yscale("log")
    _title(axes, "6(b) bytes by ρ, ε = 0.025", theme)


def _versions(axes: Axes, points: Sequence[Point], theme: Theme, data: str, budget: int, title: str) -> None:
    for side in SIDES:
        of = _of(points, "versions", side=side, data=data, budget=budget)
        axes.plot(
            [p["change"] / 1e6 for p in of],
            [p["error"] for p in of],
            color=_colour(side, theme),
            linewidth=1.0,
            alpha=1.0 if side == "ours" else 0.6,
            label=f"{side}, ε = {of[0]['epsilon']:.2g}" if of else side,
        )
    axes.set_yscale("symlog", linthresh=1e-5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("million changes", color=theme.ink, fontsize=8)
    _title(axes, title, theme)


def _budgets(axes: Axes, points: Sequence[Point], theme: Theme, data: str, by: str, title: str) -> None:
    for side in SIDES:
        if by == "budget":
            of = _of(points, "budgets", side=side, data=data)
            places = [str(p["budget"]) for p in of]
        else:
            of = [p for p in _of(points, "budgets", side=side, budget=320) if p["data"].startswith("ratio")]
            places = [p["data"].removeprefix("ratio ") for p in of]
        colour = _colour(side, theme)
        for what, style in (("error", "-"), ("worst", "--"), ("certified", ":")):
            if what == "certified" and side != "ours":
                continue
            name = {"error": "mean", "worst": "greatest"}.get(what, what)
            axes.plot(
                places,
                [p[what] for p in of],
                color=colour,
                linestyle=style,
                marker="o",
                markersize=3,
                linewidth=1.1,
                alpha=1.0 if side == "ours" else 0.6,
                label=f"{side}, {name}",
            )
    axes.set_yscale("log")
    _title(axes, title, theme)


def _shape(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    of = _of(points, "shape")
    changes = [p["change"] / 1e6 for p in of]
    for i, (phi, colour) in enumerate(zip(("0.1", "0.2", "0.5"), reversed(theme.lines), strict=True)):
        axes.plot(
            changes, [p["answers"][i] for p in of], color=colour, linewidth=1.4, label=f"{phi} from above"
        )
        axes.plot(changes, [p["exact"][i] for p in of], ":", color=theme.ink, linewidth=1.0)
    axes.set_xlabel("million changes; dotted: exact", color=theme.ink, fontsize=8)
    _title(axes, "9 ports, three quantiles, 1 MB", theme)
