"""The figures of histories in Spark: querying a version compared with time travel, building with a sort."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.figures import Figure, Pair
from harness.history_data import GROUPS, REGIONS

if TYPE_CHECKING:
    from harness.history_data import HistorySizes

# The accuracy of percentile_approx for ε = 0.01.
ACCURACY = 100

ONE, ALL = "one version of stored histories", "all versions of stored histories"
APPROX, DEFAULT = "VERSION AS OF, percentile_approx(100)", "VERSION AS OF, percentile_approx"
DISC, OURS = "VERSION AS OF, percentile_disc", "VERSION AS OF, approx_quantile"
TRAVELS = (APPROX, DEFAULT, DISC, OURS)

BUILD, SORT, MAX = "history_sketch_agg, until", "sort", "max"


def as_of_figure(sizes: HistorySizes) -> Figure:
    """Compute p99 of each region, at the middle version and at all versions."""
    middle = sizes.versions // 2

    def travel(aggregate: str) -> str:
        return f"SELECT region, {aggregate} FROM orders VERSION AS OF {middle} GROUP BY region"

    calendar = f"(SELECT explode(sequence(1, {sizes.versions - 1})) AS version)"
    texts = (
        (ONE, f"SELECT region, sketch_quantile(sketch_at_version(h, {middle}), 0.99) FROM histories"),
        (
            ALL,
            "SELECT region, version, sketch_quantile(sketch_at_version(h, version), 0.99) "
            f"FROM histories CROSS JOIN {calendar}",
        ),
        (APPROX, travel(f"percentile_approx(amount, 0.99, {ACCURACY})")),
        (DEFAULT, travel("percentile_approx(amount, 0.99)")),
        (DISC, travel("percentile_disc(0.99) WITHIN GROUP (ORDER BY amount)")),
        (OURS, travel("approx_quantile(amount, 0.99, 0.01)")),
    )
    pairs = tuple(Pair(ONE, travelled) for travelled in TRAVELS)
    title = f"{REGIONS} groups, one version"
    return Figure("as-of", title, "versions", sizes.rows, "{0}", pairs, scale=(ALL,), texts=texts)


def build_figure(sizes: HistorySizes) -> Figure:
    """Build histories of rows with validity intervals."""
    texts = (
        (BUILD, "SELECT k, history_sketch_agg(v, valid_from, until => valid_to) FROM v GROUP BY k"),
        (SORT, "SELECT * FROM v DISTRIBUTE BY k SORT BY k, valid_from"),
        (MAX, "SELECT k, max(v), max(valid_from), max(valid_to) FROM v GROUP BY k"),
    )
    pairs = (Pair(BUILD, SORT, 1 / 1.5), Pair(BUILD, MAX))
    return Figure("build", f"{GROUPS} groups, histories", "rows", sizes.rows, "{0}", pairs, texts=texts)
