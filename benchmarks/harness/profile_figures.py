"""The queries to profile, each with a floor: the same query with almost nothing to compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.datasets import COLUMNS, Datasets, Sizes
from harness.figures import GROUPED, MAX, OTHERS, OURS_3, OURS_4, UNGROUPED, Figure, Pair
from harness.hopping import KEYS, OURS, OURS_ANSWER, SLIDE, HoppingData
from harness.sliding import SlidingData, SlidingSizes
from harness.windows import WindowData, WindowSizes

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from harness.hopping import Keys
    from harness.rounds import Data

_SKETCH = "quantile_sketch_agg(v)"  # what hopping windows are asked for
SKETCH_3 = "quantile_sketch_agg(v, 1e-3)"
SAMPLE = "sample_sketch_agg(v, 10000)"
SOME_NULL = "(SELECT w AS v FROM v)"
COMOMENTS, CORRELATION = "comoments_agg(v, v * v)", "corr(v, v * v)"
SCAN, SAME = "the scan alone: max", "the same plan with max"
# Without groups, the two floors are the same.
BOTH = "the scan alone, which is the same plan with max"


class ProfileData:
    """The data of the other programs, each kind in its own folder.

    Sliding frames use a quarter of the rows and hopping windows half of them, as in the programs that measure these.
    """

    def __init__(self, spark: SparkSession, folder: Path, rows: int) -> None:
        self._makers: dict[str, Data] = {
            "aggregate": Datasets(spark, f"{folder}/aggregate", Sizes(rows)),
            "sliding": SlidingData(spark, f"{folder}/sliding", SlidingSizes(max(1, rows // 4))),
            "window": WindowData(spark, f"{folder}/window", WindowSizes(rows)),
            "hopping": HoppingData(spark, f"{folder}/hopping", max(1, rows // 2)),
        }

    def folder(self, name: str) -> str:
        """Return the folder of a data set; Spark gets it as the view `v`."""
        kind, of = name.split(" ")
        return self._makers[kind].folder(of)


def profiled(rows: int) -> list[Figure]:
    """Return a figure per query. Its first contestant is profiled, the others are its floors."""
    return [*_aggregates(rows), _columns(rows), *_windows(rows), *_sliding(rows), *_hopping(rows)]


def _figure(
    name: str,
    title: str,
    data: str,
    rows: int,
    profiled: tuple[str, str],
    floors: tuple[tuple[str, str], ...],
    settings: tuple[tuple[str, str], ...] = (),
) -> Figure:
    return Figure(
        name,
        title,
        data,
        rows,
        "{0}",
        tuple(Pair(profiled[0], floor) for floor, _ in floors),
        scale=(profiled[0],),
        texts=(profiled, *floors),
        settings=tuple((contestant, settings) for contestant, _ in (profiled, *floors)),
    )


def _aggregates(rows: int) -> list[Figure]:
    lognormal = "aggregate lognormal"

    def grouped(
        name: str, title: str, data: str, keys: tuple[str, ...], ours: str = OURS_3, where: str = ""
    ) -> Figure:
        query = f"SELECT {', '.join(keys)}, {{0}} FROM v {where} GROUP BY {', '.join(keys)}"
        scan = f"SELECT {', '.join(f'max({key})' for key in (*keys, 'v'))} FROM v"
        floors = ((SAME, query.format(MAX)), (SCAN, scan))
        return _figure(name, title, data, rows, (ours, query.format(ours)), floors)

    return [
        _figure("max", "ungrouped", lognormal, rows, (MAX, UNGROUPED.format(MAX)), ()),
        *(
            _figure(
                name,
                "ungrouped",
                lognormal,
                rows,
                (ours, UNGROUPED.format(ours)),
                ((BOTH, UNGROUPED.format(MAX)),),
            )
            for name, ours in (("ungrouped", OURS_3), ("sketch", SKETCH_3))
        ),
        grouped("grouped", "1 000 groups", lognormal, ("k",)),
        grouped("two-keys", "1 000 groups by two keys", "aggregate shapes", ("a", "b")),
        grouped("groups-100k", "100 000 groups", "aggregate shapes", ("k100k",)),
        grouped("strings", "1 000 groups, string keys", "aggregate strings", ("k",)),
        grouped("where", "700 groups, WHERE k < 700", lognormal, ("k",), where="WHERE k < 700"),
        grouped("fine", "1 000 groups", lognormal, ("k",), OURS_4),
        grouped("samples", "1 000 groups", lognormal, ("k",), SAMPLE),
        *(
            _figure(
                name,
                title,
                lognormal,
                rows,
                (f"{OTHERS}, {OURS_4}", query.format(f"{OTHERS}, {OURS_4}")),
                ((f"{OTHERS} alone", query.format(OTHERS)), (SCAN, scan)),
            )
            for name, title, query, scan in (
                ("mixed", "ungrouped", UNGROUPED, UNGROUPED.format(MAX)),
                ("mixed-grouped", "1 000 groups", GROUPED, "SELECT max(k), max(v) FROM v"),
            )
        ),
        _figure(
            "nulls",
            "ungrouped, a fifth NULL",
            "aggregate shapes",
            rows,
            (OURS_3, f"SELECT {OURS_3} FROM {SOME_NULL}"),
            ((BOTH, f"SELECT {MAX} FROM {SOME_NULL}"),),
        ),
        _figure(
            "comoments",
            "ungrouped",
            lognormal,
            rows,
            (COMOMENTS, UNGROUPED.format(COMOMENTS)),
            ((f"Spark's {CORRELATION}", UNGROUPED.format(CORRELATION)), (SCAN, UNGROUPED.format(MAX))),
        ),
    ]


def _columns(rows: int) -> Figure:
    def each(aggregate: str) -> str:
        return UNGROUPED.format(", ".join(aggregate.replace("(v", f"({column}") for column in COLUMNS))

    ours = (f"20 × {OURS_3}", each(OURS_3))
    return _figure(
        "columns", "20 columns", "aggregate columns", Sizes(rows).column_rows, ours, ((BOTH, each(MAX)),)
    )


def _windows(rows: int) -> list[Figure]:
    ours, peers = "window_sketch_agg(v, ts)", "max(v), max(ts)"
    floors = ((SAME, GROUPED.format(peers)), (SCAN, "SELECT max(k), max(v), max(ts) FROM v"))
    grouped = (
        ("window", ours),
        ("window-moments", "window_moments_agg(v, ts)"),
        ("window-samples", "window_sample_agg(v, ts)"),
    )
    return [
        *(
            _figure(name, "1 000 groups", "window rows", rows, (query, GROUPED.format(query)), floors)
            for name, query in grouped
        ),
        _figure(
            "window-one",
            "ungrouped",
            "window rows",
            rows,
            (ours, UNGROUPED.format(ours)),
            ((BOTH, UNGROUPED.format(peers)),),
        ),
    ]


def _sliding(rows: int) -> list[Figure]:
    of_rows = max(1, rows // 4)
    floors = (
        (
            "Spark's running sum",
            "SELECT *, sum(v) OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING) AS q FROM v",
        ),
        ("Spark's sort", "SELECT * FROM v DISTRIBUTE BY k SORT BY k, t"),
        (SCAN, "SELECT max(k), max(t), max(v) FROM v"),
    )

    def over(name: str, title: str, data: str, function: str) -> Figure:
        sql = f"SELECT *, {function} OVER (PARTITION BY k ORDER BY t ROWS 999 PRECEDING) AS q FROM v"
        accelerated = (("spark.chronosketch.sliding.accelerate", "all"),)
        return _figure(name, title, data, of_rows, (f"{function} OVER 1 000 rows", sql), floors, accelerated)

    return [
        *(
            over(f"sliding-{name}", f"100 partitions, {title}", f"sliding {name}", "approx_quantile(v, 0.99)")
            for name, title in (("ordered", "in order of time"), ("shuffled", "in no order"))
        ),
        *(
            over(f"over-{name}", "100 partitions, in order of time", "sliding ordered", f"{name}(v)")
            for name in ("min", "avg", "stddev")
        ),
    ]


def _hopping(rows: int) -> list[Figure]:
    few, many = KEYS
    # Spark's default number of partitions, as in the program of hopping windows; later stages would have it, too
    settings = (("spark.sql.shuffle.partitions", "200"),)

    def over(name: str, keys: Keys, query: str) -> Figure:
        k = keys.column
        floors = (
            ("the same windows with max", keys.queries()[OURS].replace(_SKETCH, MAX)),
            (
                f"max of each {SLIDE}",
                f"SELECT {k}, window, max(v) FROM v GROUP BY {k}, window(ts, '{SLIDE}')",
            ),
            (SCAN, f"SELECT max({k}), max(ts), max(v) FROM v"),
        )
        profiled = (query, keys.queries()[query])
        return _figure(name, keys.title, "hopping rows", max(1, rows // 2), profiled, floors, settings)

    return [
        over("hopping", many, OURS),
        over("hopping-p99", many, OURS_ANSWER),
        over("hopping-few", few, OURS),
    ]
