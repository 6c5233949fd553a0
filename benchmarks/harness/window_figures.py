"""The figures of windows that end at the newest row, compared with `percentile_approx` with a FILTER each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.figures import Figure, Pair
from harness.window_data import DAY, GROUPS

if TYPE_CHECKING:
    from harness.window_data import WindowSizes

# The windows, in minutes before midnight.
WINDOWS = (1, 5, 10, 15, 30, 60, 120, 240, 480, 960)
# The accuracy of percentile_approx for ε = 0.01.
ACCURACY = 100

ONE = "approx_window_quantile, 1 hour"
ONE_SPARK, ONE_DEFAULT = "percentile_approx(100) FILTER", "percentile_approx FILTER"
STORED, SCANS, SCAN = "10 windows of stored sketches", "10 scans", "1 scan, 10 FILTERs"
BUILD, BUILD_MAX = "window_sketch_agg", "max"


def window_figures(sizes: WindowSizes) -> list[Figure]:
    """Return all figures for the given sizes."""
    return [_one(sizes), _ten(sizes), _build(sizes), _siblings(sizes)]


def _filtered(minutes: int, accuracy: str = f", {ACCURACY}") -> str:
    newest = f"timestamp_micros(unix_micros(TIMESTAMP'{DAY}') + 86400000000)"
    return f"percentile_approx(v, 0.99{accuracy}) FILTER (WHERE ts > {newest} - INTERVAL {minutes} MINUTES)"


def _one(sizes: WindowSizes) -> Figure:
    texts = (
        (ONE, "SELECT k, approx_window_quantile(v, ts, 0.99, '1 hour') FROM v GROUP BY k"),
        (ONE_SPARK, f"SELECT k, {_filtered(60)} FROM v GROUP BY k"),
        (ONE_DEFAULT, f"SELECT k, {_filtered(60, '')} FROM v GROUP BY k"),
    )
    pairs = (Pair(ONE, ONE_SPARK, 1.0), Pair(ONE, ONE_DEFAULT))
    return Figure("one", f"{GROUPS} groups, one window", "rows", sizes.rows, "{0}", pairs, texts=texts)


def _ten(sizes: WindowSizes) -> Figure:
    asked = ", ".join(f"sketch_quantile(sketch_window(w, '{m} minutes'), 0.99)" for m in WINDOWS)
    scans = " UNION ALL ".join(f"SELECT k, {_filtered(m)} FROM v GROUP BY k" for m in WINDOWS)
    texts = (
        (STORED, f"SELECT k, {asked} FROM s"),
        (SCANS, scans),
        (SCAN, f"SELECT k, {', '.join(_filtered(m) for m in WINDOWS)} FROM v GROUP BY k"),
    )
    pairs = (Pair(STORED, SCANS), Pair(STORED, SCAN))
    return Figure("ten", f"{GROUPS} groups, ten windows", "stored", sizes.rows, "{0}", pairs, texts=texts)


def _build(sizes: WindowSizes) -> Figure:
    texts = (
        (BUILD, "SELECT k, window_sketch_agg(v, ts) FROM v GROUP BY k"),
        (BUILD_MAX, "SELECT k, max(v), max(ts) FROM v GROUP BY k"),
    )
    pairs = (Pair(BUILD, BUILD_MAX, 0.4),)
    return Figure("build", f"{GROUPS} groups, sketches", "rows", sizes.rows, "{0}", pairs, texts=texts)


def _siblings(sizes: WindowSizes) -> Figure:
    """Compare building sketches of moments and samples of windows with quantile sketches and with aggregates of all rows."""
    moments, sample, spread = "window_moments_agg", "window_sample_agg of 1 000 rows", "stddev"
    texts = (
        (moments, "SELECT k, window_moments_agg(v, ts) FROM v GROUP BY k"),
        (sample, "SELECT k, window_sample_agg(v, ts) FROM v GROUP BY k"),
        (BUILD, "SELECT k, window_sketch_agg(v, ts) FROM v GROUP BY k"),
        (BUILD_MAX, "SELECT k, max(v), max(ts) FROM v GROUP BY k"),
        (spread, "SELECT k, stddev(v), max(ts) FROM v GROUP BY k"),
    )
    pairs = (
        Pair(moments, BUILD),
        Pair(moments, spread),
        Pair(moments, BUILD_MAX),
        Pair(sample, BUILD),
        Pair(sample, BUILD_MAX),
    )
    title = f"{GROUPS} groups, moments and samples of any window"
    return Figure("siblings", title, "rows", sizes.rows, "{0}", pairs, texts=texts)
