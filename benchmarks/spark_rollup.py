"""Compares dashboards on a table with the same on its roll-up, and refreshes with rebuilds.

Run it with nothing else on the machine::

    python benchmarks/spark_rollup.py --data /data/rollup
    python benchmarks/spark_rollup.py --data /data/rollup --only refresh

It makes its own data in a temporary folder, or where ``--data`` says, and writes ``benchmarks/results/spark_rollup.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import chronosketch as cs
from harness.dashboards import PHI, SPANS, Dashboard, dashboards
from harness.results import RESULTS, footer, load, measure_parts, provenance, write_page
from harness.rollup_picture import draw
from harness.rollups import (
    FILE,
    LAST_DAY,
    Checked,
    Copy,
    RollupData,
    RollupSizes,
    check,
)
from harness.rounds import FAILURES, log_progress, turns
from harness.sessions import start
from harness.spread import Spread, number, spaced
from harness.stages import bytes_read, newest_stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

NAME = "spark_rollup"
PARTS = ("dashboards", "answers", "refresh")
REWRITE = "spark.chronosketch.rollup.rewrite"
SPARK, OURS = "table, percentile_approx", "table, approx_quantile"
ROLLUP, REWRITTEN = "roll-up", "table, rewritten"
SIDES = (SPARK, OURS, ROLLUP, REWRITTEN)
# percentile_approx takes minutes, so it answers these queries of each range, in one round
SPARK_TITLES = ("all", "by service")
REBUILD = "rebuild"
FASTER, FEWER = 30, 100
CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    # Spark does not count the bytes of vectored reads of local files.
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
    # the store of stages is read after each query
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "1000",
}


@dataclass
class Cost:
    """The seconds of each round, and the bytes read in the last one."""

    seconds: list[float] = field(default_factory=list)
    read: int = 0

    def run(self, spark: SparkSession, job: Callable[[], Any], counts: bool = True) -> None:
        """Run a job, and add what it took."""
        stage = newest_stage(spark)
        started = perf_counter()
        job()
        seconds = perf_counter() - started
        if counts:
            self.seconds.append(seconds)
            self.read = bytes_read(spark, stage)


def main() -> None:
    """Measure, print and store. Parts that are not requested stay as stored."""
    options = parse()
    report = {}
    for part in options.only:
        report = measure_parts(
            options.results / f"{NAME}.json", PARTS, part, partial(measure, options=options)
        )
    write_page(options.results, NAME, "# Roll-ups, in Spark", PARTS, report)
    if "dashboards" in report and "refresh" in report:
        steps = {name: cost["seconds"] for name, cost in report["refresh"]["costs"].items()}
        draw(report["dashboards"]["queries"], steps, options.results, NAME)


def measure(part: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one part in its own session."""
    measured = {"dashboards": ask, "answers": compare, "refresh": refresh}[part]
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, options.driver_memory, CONF, delta=True)
        try:
            report: dict[str, Any] = {**provenance(spark, command(part, options)), "load_before": load()}
            kept = options.data.resolve() if options.data else Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            found, lines = measured(spark, str(kept), options)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    text = ["", *lines, "", *footer(report), f"- load before: {report['load_before']}", ""]
    return {**report, **found, "text": text}


def sql_of(query: Dashboard, epsilon: float) -> dict[str, str]:
    """Return the SQL of each side that has one."""
    ours = query.on_table(f"approx_quantile(latency_ms, {PHI}, {epsilon!r}D)")
    spark = query.on_table(f"percentile_approx(latency_ms, {PHI}, {round(1 / epsilon)})")
    rollup = {ROLLUP: query.on_rollup()} if query.is_of_whole_hours else {}
    peer = {SPARK: spark} if query.title in SPARK_TITLES else {}
    return {**peer, OURS: ours, **rollup, REWRITTEN: ours}


def answer(spark: SparkSession, side: str, sql: str) -> list[Any]:
    """Return the rows of a query. A write would measure the same without them, but commands are not rewritten."""
    spark.conf.set(REWRITE, str(side == REWRITTEN).lower())
    return spark.sql(sql).collect()


def plan(spark: SparkSession, sql: str) -> str:
    """Return the line of the plan that says which roll-up answers; empty if none does."""
    spark.conf.set(REWRITE, "true")
    lines = spark.sql(f"EXPLAIN {sql}").collect()[0][0].splitlines()
    return next((line.strip(" +-:") for line in lines if "SketchRollup" in line), "")


def ask(spark: SparkSession, folder: str, options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Measure each query on each side, in turns."""
    sizes = RollupSizes(options.rows, options.epsilon)
    data, queries = RollupData(spark, folder, sizes), dashboards()
    data.create_rollup()
    texts = {query.name: sql_of(query, sizes.epsilon) for query in queries}
    plans = {name: plan(spark, sides[REWRITTEN]) for name, sides in texts.items()}
    costs = {name: {side: Cost() for side in sides} for name, sides in texts.items()}
    for round_ in range(options.warm_up + options.rounds):
        is_warm = round_ >= options.warm_up
        for query in queries:
            name = query.name
            for side in turns(list(texts[name]), round_):
                # Long scans are not warmed up: their share of compilation is small.
                is_long = side == SPARK or (side == OURS and query.span == list(SPANS)[-1])
                if (is_warm or not is_long) and (side != SPARK or round_ == options.warm_up):
                    job = partial(answer, spark, side, texts[name][side])
                    costs[name][side].run(spark, job, is_warm)
            log_progress(f"round {round_ + 1} of {options.warm_up + options.rounds}: {name}")
    not_rewritten = [name for name, line in plans.items() if not line]
    found = {
        "not_rewritten": not_rewritten,
        "queries": [
            {
                "name": query.name,
                "span": query.span,
                "sql": texts[query.name],
                "plan": plans[query.name],
                "costs": {side: asdict(cost) for side, cost in costs[query.name].items()},
            }
            for query in queries
        ],
        "totals": totals(queries, costs),
    }
    return found, dashboard_lines(queries, costs, found, options)


def totals(queries: Sequence[Dashboard], costs: dict[str, dict[str, Cost]]) -> list[dict[str, Any]]:
    """Return ratios of all queries together, and of the queries of each range. Queries count that both sides answer."""
    found = []
    for span in ("all", *SPANS):
        names = [query.name for query in queries if span in ("all", query.span)]
        for ours, peer in ((REWRITTEN, OURS), (ROLLUP, OURS), (REWRITTEN, SPARK), (ROLLUP, SPARK)):
            pairs = [
                (costs[name][ours], costs[name][peer])
                for name in names
                if ours in costs[name] and peer in costs[name]
            ]
            rounds = range(min(len(cost.seconds) for cost in pairs[0]))
            times = [
                sum(b.seconds[i] for _, b in pairs) / sum(a.seconds[i] for a, _ in pairs) for i in rounds
            ]
            fewer = sum(b.read for _, b in pairs) / max(1, sum(a.read for a, _ in pairs))
            spread = asdict(Spread.of(times))
            found.append(
                {"span": span, "queries": len(pairs), "ours": ours, "peer": peer, "times_as_fast": spread}
                | {"times_fewer_bytes": fewer}
            )
    return found


def dashboard_lines(
    queries: Sequence[Dashboard],
    costs: dict[str, dict[str, Cost]],
    found: dict[str, Any],
    options: argparse.Namespace,
) -> list[str]:
    """Write the part on dashboards."""
    lines = [
        "## Dashboards",
        "",
        f"{spaced(options.rows)} requests of 90 days in a Delta table in the order of time, 12 services × 40 endpoints, lognormal "
        f"latencies; a roll-up by hour, day and 30 days, ε = {options.epsilon:g}. {len(queries)} queries of p99, count and maximum. "
        f"{options.rounds} rounds in turns after {options.warm_up} to warm up: the median, and the least and the greatest. *Times as "
        "fast* is the seconds of the other by ours, of each round for itself. `percentile_approx` is asked two queries of "
        "each range, in the first round alone, because it takes minutes.",
        "",
        "| ranges | queries | ours | beside | times as fast | target | times fewer bytes | target |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for total in found["totals"]:
        targets = (f"≥ {FASTER}", f"≥ {FEWER}") if total["peer"] == OURS else ("published", "published")
        times = Spread(**total["times_as_fast"])
        cells = [total["span"], str(total["queries"]), f"`{total['ours']}`", f"`{total['peer']}`"]
        cells += [str(times), targets[0], number(total["times_fewer_bytes"]), targets[1]]
        lines.append(f"| {' | '.join(cells)} |")
    missing = found["not_rewritten"]
    lines += [
        "",
        f"- {len(queries) - len(missing)} of {len(queries)} queries are rewritten. {'Not: ' + ', '.join(missing) if missing else ''}",
        "- Ranges end at five o'clock, so days are partly covered by hours. The roll-up alone cannot answer ranges that end at 16:20, "
        "and no whole hour is in the last hour of them.",
        f"- `percentile_approx({round(1 / options.epsilon)})` promises the same error. Bytes are what stages read from files, mostly "
        "from the system's cache, without vectored reads, which Spark does not count. Rows of answers are collected on all sides.",
        "",
        f"| query | {' | '.join(f'`{side}`, s' for side in SIDES)} | {' | '.join(f'`{side}`, MB' for side in SIDES)} |",
        f"|---|{'---|' * 2 * len(SIDES)}",
    ]
    for query in queries:
        sides = [costs[query.name].get(side) for side in SIDES]
        cells = [number(Spread.of(cost.seconds).median) if cost else "" for cost in sides]
        cells += [number(cost.read / 1e6) if cost else "" for cost in sides]
        lines.append(f"| {query.name} | {' | '.join(cells)} |")
    return lines


def compare(
    spark: SparkSession, folder: str, options: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Compare the answers of each query with exact ones."""
    sizes = RollupSizes(options.rows, options.epsilon)
    RollupData(spark, folder, sizes).create_rollup()
    checked = {ROLLUP: Checked(), REWRITTEN: Checked()}
    for query in dashboards():
        log_progress(f"answers: {query.name}")
        texts = sql_of(query, sizes.epsilon)
        answers = {side: answer(spark, side, texts[side]) for side in checked if side in texts}
        spark.conf.set(REWRITE, "false")
        for side, found in check(spark, query, answers, sizes.epsilon).items():
            checked[side].add(found)
    lines = [
        "## Answers",
        "",
        f"Each row of the answers to the same queries is compared with the exact count and maximum of its group, and its p99 with the "
        f"exact rank, which may be off by ε = {options.epsilon:g} of the count.",
        "",
        "| side | rows of answers | violations | largest rank error |",
        "|---|---|---|---|",
        *[
            f"| `{side}` | {spaced(c.answers)} | {c.violations} | {c.largest_error:.2e} |"
            for side, c in checked.items()
        ],
    ]
    return {"checked": {side: asdict(c) for side, c in checked.items()}}, lines


def refresh(
    spark: SparkSession, folder: str, options: argparse.Namespace
) -> tuple[dict[str, Any], list[str]]:
    """Measure refreshes after changes of several kinds, a full rebuild, and reading the file that was appended."""
    sizes = RollupSizes(options.rows, options.epsilon)
    data = RollupData(spark, folder, sizes)
    into = data.create_copy()
    copy = Copy(spark, data, sizes, into)
    costs = {name: Cost() for name in (*copy.ways, REBUILD)}
    reading = Cost()
    for round_ in range(options.warm_up + options.rounds):
        is_warm = round_ >= options.warm_up
        # Changes of all hours take minutes, and need no warming up.
        names = list(costs) if is_warm else [LAST_DAY, FILE]
        for name in turns(names, round_):
            log_progress(f"refresh, round {round_ + 1} of {options.warm_up + options.rounds}: {name}")
            if name == REBUILD:
                costs[name].run(spark, lambda: cs.rollup.rebuild(spark, into), is_warm)
                continue
            before = set(spark.table("changed").inputFiles()) if name == FILE else set()
            copy.ways[name](round_)
            if name == FILE:
                added = sorted(set(spark.table("changed").inputFiles()) - before)
                rows = spark.read.parquet(*added)
                reading.run(spark, rows.write.format("noop").mode("overwrite").save, is_warm)
            costs[name].run(spark, lambda: cs.rollup.refresh(spark, into), is_warm)
    data.drop_copy()
    lines = [
        "## Refreshes",
        "",
        f"A copy of the table of {spaced(options.rows)} rows changes, with deletion vectors, and its roll-up is refreshed, or built anew. "
        f"{options.rounds} rounds in turns after {options.warm_up} to warm up, each on top of the changes before.",
        "",
        "| step after | seconds | MB read | share of a rebuild | target |",
        "|---|---|---|---|---|",
    ]
    for name, cost in costs.items():
        shares = [a / b for a, b in zip(cost.seconds, costs[REBUILD].seconds, strict=True)]
        share = f"{shares_text(shares)}" if name != REBUILD else ""
        target = "≤ 3 %" if name == LAST_DAY else ("" if name == REBUILD else "published")
        lines.append(
            f"| {name} | {Spread.of(cost.seconds)} | {number(cost.read / 1e6)} | {share} | {target} |"
        )
    times = Spread.of([a / b for a, b in zip(costs[FILE].seconds, reading.seconds, strict=True)])
    lines += [
        "",
        f"Reading all columns of the appended file takes {Spread.of(reading.seconds)} s and {number(reading.read / 1e6)} MB. The refresh "
        f"takes {times} times as long; at most 3 is asked for.",
        "",
        "- The last day is 21.6 hours, 1 % of 90 days. Changes over all hours touch almost all rows of the roll-up: late rows merge "
        "into them, and updates build them anew.",
    ]
    found = {name: asdict(cost) for name, cost in {**costs, "reading the file": reading}.items()}
    return {"costs": found}, lines


def shares_text(shares: Sequence[float]) -> str:
    """Write shares as percentages with their spread."""
    spread = Spread.of([100 * share for share in shares])
    return f"{number(spread.median)} % ({number(spread.least)}–{number(spread.greatest)})"


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=300_000_000)
    parser.add_argument("--epsilon", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--only", default="", help=f"parts, with commas between: {', '.join(PARTS)}")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--data", type=Path, help="a folder that keeps the data for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    options = parser.parse_args()
    options.only = [part for part in options.only.split(",") if part] or list(PARTS)
    unknown = [part for part in options.only if part not in PARTS]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return options


def command(part: str, options: argparse.Namespace) -> str:
    """Return the command that repeats a part."""
    return (
        f"python benchmarks/spark_rollup.py --only {part} --rows {options.rows} --epsilon {options.epsilon:g} "
        f"--rounds {options.rounds} --warm-up {options.warm_up} --driver-memory {options.driver_memory}"
    )


if __name__ == "__main__":
    main()
