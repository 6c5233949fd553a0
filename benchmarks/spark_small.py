"""Merges many small sketches into few groups: ours, Spark's KLL sketches of the same rows, and the rows themselves.

Run it with nothing else on the machine::

    python benchmarks/spark_small.py
    python benchmarks/spark_small.py --data /data/small --sketches 100000

It makes its own data in a temporary folder, or where ``--data`` says, and writes ``benchmarks/results/spark_small.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import e, factorial, log2, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS, footer, load, provenance
from harness.rounds import FAILURES, Rounds
from harness.sessions import start
from harness.small_sketches import (
    MOST_BYTES,
    OURS,
    ROWS_A_SKETCH,
    SCAN,
    SmallSketches,
    merge_figure,
)
from harness.spread import number, spaced
from harness.tables import as_json, ratios, seconds

if TYPE_CHECKING:
    from harness.rounds import Outcome
    from pyspark.sql import SparkSession

NAME = "spark_small"
CONF = {"spark.sql.shuffle.partitions": "2", "spark.sql.session.timeZone": "UTC"}


# The entropy of a value is that of its logarithm, 2.05 bits, and 52.5 bits below it on average. Order tells log2(6!) bits.
_BITS_OF_VALUES = ROWS_A_SKETCH * (log2(2 * pi * e) / 2 + 52.5) - log2(factorial(ROWS_A_SKETCH))


@dataclass(frozen=True)
class Sizes:
    """The mean bytes of a sketch of each kind, alone and in the compressed files, and what those of ours are for."""

    alone: dict[str, float]
    in_files: dict[str, float]
    shares: dict[str, float]


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, options.driver_memory, CONF)
        try:
            report = measure(spark, options, Path(folder))
        finally:
            with suppress(*FAILURES):
                spark.stop()
    options.results.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["# Many small sketches, in Spark", *report.pop("text")])
    stored = json.dumps(report, indent=1, ensure_ascii=False)
    (options.results / f"{NAME}.json").write_text(stored + "\n", encoding="utf-8")
    (options.results / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def measure(spark: SparkSession, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure the time to merge the sketches, and their sizes."""
    report: dict[str, Any] = {**provenance(spark, command(options)), "load_before": load()}
    kept = options.data.resolve() if options.data else folder
    kept.mkdir(parents=True, exist_ok=True)
    data = SmallSketches(spark, str(kept), options.sketches, options.epsilon)
    rounds = Rounds(spark, {}, data, options.warm_up, options.rounds)
    outcome = rounds.measure(merge_figure(options.sketches, options.epsilon))
    sizes = Sizes(data.mean_bytes(), data.file_bytes(), data.mean_shares())
    text = [
        *lines(outcome, sizes, options),
        "",
        *footer(report),
        f"- load before: {report['load_before']}",
        "",
    ]
    figure = {**as_json(outcome), "title": outcome.figure.title}
    return {**report, "figures": [figure], "bytes": asdict(sizes), "text": text}


def lines(outcome: Outcome, sizes: Sizes, options: argparse.Namespace) -> list[str]:
    """Write the tables."""
    return [
        "",
        f"{spaced(options.sketches)} sketches of {ROWS_A_SKETCH} doubles each in Parquet, merged by group; ε = {options.epsilon:g}. "
        f"{options.rounds} rounds in turns after {options.warm_up} to warm up. KLL sketches are of the same rows, in the same files.",
        "",
        *ratios([outcome]),
        "",
        *seconds([outcome]),
        "",
        f"- `{SCAN}` has the same scan and the same groups, and merges nothing. It is there for scale.",
        "",
        "## Bytes",
        "",
        "| sketch | mean bytes | target | in Parquet, compressed |",
        "|---|---|---|---|",
        *[
            f"| `{name}` | {number(size)} | {f'≤ {MOST_BYTES}' if name == OURS else 'published'} | {number(sizes.in_files[name])} |"
            for name, size in sizes.alone.items()
        ],
        "",
        "What the bytes of one of our sketches are for ([the bytes of a sketch](../../docs/format.md)):",
        "",
        "| bytes | mean |",
        "|---|---|",
        *[f"| {name} | {number(share)} |" for name, share in sizes.shares.items()],
        "",
        *explanation(sizes),
    ]


def explanation(sizes: Sizes) -> list[str]:
    """Explain the size of our sketches, and what a smaller one would take."""
    keys = sizes.shares["first key"] + sizes.shares["differences to the other keys"]
    without = sizes.alone[OURS] - sizes.shares["counts of the keys"] - (sizes.shares["first key"] - 8) - 6
    return [
        f"- Format 1 has no shorter form of these values. The other form, of tuples, has a byte more for each value. {ROWS_A_SKETCH} such values "
        f"in no order hold {number(_BITS_OF_VALUES / 8)} bytes of information; their keys take {number(keys)}.",
        f"- A format 2 could leave out counts that are all 1, write the first key in 8 bytes, and ε in 2 bytes where it has few digits. That would be "
        f"{number(without)} bytes. Seven bits in each byte of a difference hold its number: packed bits would save up to an eighth of these. "
        "Magic, version, length, family and checksum stay where they are in every format: 14 bytes.",
        "- An older version calls another form of payload damaged, so each of these is a new format, which it would have to refuse by its name.",
    ]


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epsilon", type=float, default=0.01)
    parser.add_argument("--sketches", type=int, default=860_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--data", type=Path, help="a folder that keeps the data for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the measurement."""
    return (
        f"python benchmarks/spark_small.py --sketches {options.sketches} --epsilon {options.epsilon:g} "
        f"--rounds {options.rounds} --warm-up {options.warm_up} --driver-memory {options.driver_memory}"
    )


if __name__ == "__main__":
    main()
