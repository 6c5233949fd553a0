"""Compares hopping windows with Spark's `GROUP BY window(…)` with the same sketch, and with panes merged by hand, in turns.

Run it with nothing else on the machine::

    python benchmarks/spark_hopping.py
    python benchmarks/spark_hopping.py --beside-spark --rows 2000000   # with Spark's own operators
    python benchmarks/spark_hopping.py --structures   # panes and the list of rows, chosen by name

It makes its own data in a temporary folder, and writes ``benchmarks/results/spark_hopping.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.hopping import (
    EXPAND,
    KEYS,
    KLL,
    PANES,
    PERCENTILE,
    SIZE,
    SLIDE,
    HoppingData,
    fingerprints,
    hopping_figure,
    structure_figures,
)
from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Rounds, log_progress
from harness.sessions import start
from harness.spread import spaced
from harness.tables import as_json, ratios, seconds

if TYPE_CHECKING:
    from harness.rounds import Outcome

ROWS = 10_000_000
NAME = "spark_hopping"


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, options.driver_memory)
        report = {**provenance(spark, command(options)), "rows": options.rows}
        data = HoppingData(spark, folder, options.rows)
        by_hand = Rounds(spark, {}, data, options.warm_up, options.rounds)
        # copying each row sixty times takes minutes, so as many warm-up rounds as for ours would take hours
        copied = Rounds(spark, {}, data, 0, options.expand_rounds, options.warm_seconds)
        outcomes: list[Outcome] = []
        answers: dict[str, dict[str, tuple[int, ...]]] = {}
        ours_below = ((PANES, by_hand), (EXPAND, copied))
        sparks = ((PERCENTILE, copied), (KLL, copied))
        try:
            for figure in structure_figures(options.rows) if options.structures else ():
                outcomes.append(by_hand.measure(figure))
                store_structures(options, report, outcomes)
            for peer, rounds in () if options.structures else sparks if options.beside_spark else ours_below:
                for keys in KEYS:
                    outcomes.append(rounds.measure(hopping_figure(keys, peer, options.rows)))
                    # store after each figure: all of them take half an hour
                    store(options, report, outcomes, answers)
            for keys in KEYS if options.compare and page_of(options) == NAME else ():
                answers[keys.title] = fingerprints(spark, keys)
                store(options, report, outcomes, answers)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    page = options.results / f"{page_of(options)}.md"
    print(page.read_text(encoding="utf-8"))
    log_progress(str(page))
    for title, found in answers.items():
        if len(set(found.values())) != 1:
            raise SystemExit(f"{title}: the answers differ: {found}")


def store(
    options: argparse.Namespace, report: dict[str, Any], outcomes: list[Outcome], answers: dict[str, Any]
) -> None:
    """Store the results so far."""
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    by_hand = f"Beside panes by hand {count_of(options.rounds)} in turns after {options.warm_up} to warm up."
    beside_plan = (
        f"Beside Spark's own plan {count_of(options.expand_rounds)} in turns, after each side has run for {options.warm_seconds:g} seconds, "
        "or once where that takes longer."
    )
    rounds = beside_plan if options.beside_spark else f"{by_hand} {beside_plan}"
    lines = [
        "# Hopping windows, in Spark",
        "",
        f"{spaced(options.rows)} lognormal doubles of one hour in Parquet, in the order of their times; windows of {SIZE} every "
        f"{SLIDE}, and a sketch or the p99 of each: both sides answer the same. {rounds} The median, and the least and the greatest. *Times "
        "as fast* is the seconds of the other by ours, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        f"- `{EXPAND}` is Spark's own plan: each row is copied into its sixty windows. With our function our operator is under it.",
        *(
            []
            if options.beside_spark
            else [
                f"- `{PANES}`: a sketch for each {SLIDE}, then `sketch_merge_agg` of `window(pane, '{SIZE}', '{SLIDE}')`."
            ]
        ),
        *[
            f"- {title}: {spaced(counts[0])} windows, and those of all three have the same keys, times and counts."
            for title, found in answers.items()
            for counts in [next(iter(found.values()))]
            if len(set(found.values())) == 1
        ],
        "",
        *seconds(outcomes),
        "",
        *footer(report),
        f"- load before each figure: {loads}",
        "",
    ]
    report["answers"] = answers
    write(options, report, lines, outcomes)


def count_of(rounds: int) -> str:
    """Return the number of rounds in words."""
    return "one round" if rounds == 1 else f"{rounds} rounds"


def store_structures(options: argparse.Namespace, report: dict[str, Any], outcomes: list[Outcome]) -> None:
    """Store the comparison of panes with the list."""
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    lines = [
        "# Structures of hopping windows, in Spark",
        "",
        f"{spaced(options.rows)} lognormal doubles of one hour in Parquet, in the order of their times. {options.rounds} rounds in "
        f"turns after {options.warm_up} to warm up: the median, and the least and the greatest. *Times as fast* is the seconds of the "
        "list, which copies each row into all its windows, by those of panes, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        *seconds(outcomes),
        "",
        *footer(report),
        f"- load before each figure: {loads}",
        "",
    ]
    write(options, report, lines, outcomes)


def page_of(options: argparse.Namespace) -> str:
    """Return the name of the result page."""
    return NAME + ("_structures" if options.structures else "_beside_spark" if options.beside_spark else "")


def write(
    options: argparse.Namespace, report: dict[str, Any], lines: list[str], outcomes: list[Outcome]
) -> None:
    """Store the figures as JSON and as a page."""
    name = page_of(options)
    report["figures"] = [as_json(outcome) for outcome in outcomes]
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{name}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--expand-rounds", type=int, default=3, help="of Spark's own plan")
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument(
        "--warm-seconds", type=float, default=20.0, help="each side runs so long, beside Spark's own plan"
    )
    parser.add_argument(
        "--no-compare", dest="compare", action="store_false", help="do not compare the answers"
    )
    parser.add_argument(
        "--beside-spark", action="store_true", help="beside Spark's own plan with Spark's own operators"
    )
    parser.add_argument("--structures", action="store_true", help="panes beside the list of rows")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    return (
        f"python benchmarks/spark_hopping.py --rows {options.rows} --rounds {options.rounds} "
        f"--expand-rounds {options.expand_rounds} --warm-up {options.warm_up} --warm-seconds {options.warm_seconds:g} "
        f"--driver-memory {options.driver_memory}"
        + (" --structures" if options.structures else "")
        + (" --beside-spark" if options.beside_spark else "")
    )


if __name__ == "__main__":
    main()
