"""The report's SVG pictures. Their colours are the page's, so they fit light and dark pages."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH, _HEIGHT = 330, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 10, 22, 34


@dataclass(frozen=True)
class Point:
    """A measured and a predicted cost. `fresh` is True if the fit had not seen the measurement."""

    measured: float
    predicted: float
    fresh: bool


def predicted_against_measured(points: Sequence[Point], unit: str) -> str:
    """Draw predictions over measurements. On the line they are equal.

    Examples
    --------
    >>> picture = predicted_against_measured([Point(100, 110, False), Point(2000, 1800, True)], "ns")
    >>> picture.count("<circle"), "predicted, ns" in picture
    (2, True)
    """
    values = [value for point in points for value in (point.measured, point.predicted) if value > 0]
    ends = _decades(values)
    x, y = _Axis(ends, _LEFT, _WIDTH - _RIGHT), _Axis(ends, _HEIGHT - _BOTTOM, _TOP)
    line = f'<line class="ink" x1="{x.first}" y1="{y.first}" x2="{x.last}" y2="{y.last}"/>'
    marks = [
        _mark(x(point.measured), y(point.predicted), point.fresh) for point in points if point.measured > 0
    ]
    return _picture(
        "predicted over measured", f"measured, {unit}", f"predicted, {unit}", x, y, [line, *marks]
    )


def residuals(points: Sequence[Point], unit: str) -> str:
    """Draw prediction errors, in percent of the measured cost, over predictions.

    Examples
    --------
    >>> "-10" in residuals([Point(100, 110, False), Point(2000, 1800, True)], "ns")
    True
    """
    shown = [point for point in points if point.measured > 0 and point.predicted > 0]
    shares = [100 * (point.predicted - point.measured) / point.measured for point in shown]
    most = max([10.0, *(min(abs(share), 200.0) for share in shares)])
    step = next(step for step in (5, 10, 20, 50, 100) if most <= 4 * step or step == 100)
    most = step * ceil(most / step)
    x = _Axis(_decades([point.predicted for point in shown]), _LEFT, _WIDTH - _RIGHT)
    y = _Axis((-most, most), _HEIGHT - _BOTTOM, _TOP, [float(v) for v in range(-most, most + 1, step)])
    line = f'<line class="ink" x1="{x.first}" y1="{y(0)}" x2="{x.last}" y2="{y(0)}"/>'
    marks = [
        _mark(x(point.predicted), y(max(-most, min(most, share))), point.fresh)
        for point, share in zip(shown, shares, strict=True)
    ]
    return _picture("residuals", f"predicted, {unit}", "off by, %", x, y, [line, *marks])


class _Axis:
    """Positions on an axis. Without ticks it is logarithmic, with one tick for each decade."""

    def __init__(
        self, ends: tuple[int, int], first: int, last: int, ticks: Sequence[float] | None = None
    ) -> None:
        self.ends, self.first, self.last = ends, first, last
        self.logarithmic = ticks is None
        self.ticks = [10.0**power for power in range(ends[0], ends[1] + 1)] if ticks is None else ticks

    def __call__(self, value: float) -> float:
        position = log10(max(value, 1e-12)) if self.logarithmic else value
        low, high = self.ends
        return round(self.first + (position - low) / (high - low) * (self.last - self.first), 1)

    def label(self, tick: float) -> str:
        return f"1e{log10(tick):.0f}" if self.logarithmic else f"{tick:g}"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    if not values:
        return 0, 1
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _mark(x: float, y: float, fresh: bool) -> str:
    return f'<circle class="{"fresh" if fresh else "seen"}" cx="{x}" cy="{y}" r="3"/>'


def _picture(title: str, x_title: str, y_title: str, x: _Axis, y: _Axis, inside: Sequence[str]) -> str:
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text class="title" x="{_LEFT}" y="13">{escape(title)}</text>',
    ]
    for tick in x.ticks:
        parts.append(f'<line class="grid" x1="{x(tick)}" y1="{y.first}" x2="{x(tick)}" y2="{y.last}"/>')
        parts.append(
            f'<text class="tick" x="{x(tick)}" y="{y.first + 12}" text-anchor="middle">{x.label(tick)}</text>'
        )
    for tick in y.ticks:
        parts.append(f'<line class="grid" x1="{x.first}" y1="{y(tick)}" x2="{x.last}" y2="{y(tick)}"/>')
        parts.append(
            f'<text class="tick" x="{x.first - 5}" y="{y(tick) + 3}" text-anchor="end">{y.label(tick)}</text>'
        )
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    place = f'x="{(x.first + x.last) / 2}" y="{_HEIGHT - 6}"'
    turned = f'transform="translate(12 {middle}) rotate(-90)"'
    for where, text in ((place, x_title), (turned, y_title)):
        parts.append(f'<text class="tick" {where} text-anchor="middle">{escape(text)}</text>')
    return "".join([*parts, *inside, "</svg>"])
