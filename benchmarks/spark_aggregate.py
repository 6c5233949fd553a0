"""Compares `approx_quantile` and sketches with Spark's own aggregates and ClickHouse's, in turns.

Run it with nothing else on the machine::

    python benchmarks/spark_aggregate.py
    python benchmarks/spark_aggregate.py --rows 100_000_000 --rounds 3
    python benchmarks/spark_aggregate.py --name spark_moments
    python benchmarks/spark_aggregate.py --again  # measures nothing: writes the stored results without figures of other pages

It makes its own data in a temporary folder, and writes ``benchmarks/results/spark_aggregate.json`` and
``.md``, and a picture if the first two figures were measured. Each figure is on one page: a page measures its own figures,
unless ``--only`` names others. ClickHouse runs if the package ``chdb`` is installed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.aggregate_picture import draw
from harness.aggregates import aggregate_figures
from harness.datasets import EPSILON, PHIS, Datasets, Sizes, rank_error
from harness.figures import GENERIC, GK_3, GK_4, KLL, OURS_3, OURS_4, SPARK_3, SPARK_4, Pair
from harness.peers import ClickHouse, DuckDB, error_of, k_of
from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Measured, Outcome, Rounds, first_line, log_progress
from harness.sessions import start
from harness.tables import pairs_as_json, ratios, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.figures import Figure
    from pyspark.sql import SparkSession

ROWS = 20_000_000
NAME = "spark_aggregate"


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    rows: int
    rounds: int
    warm_up: int
    only: list[str]
    driver_memory: str
    results: Path
    name: str
    again: bool

    @property
    def command(self) -> str:
        """The command that repeats the run."""
        parts = ["python benchmarks/spark_aggregate.py", f"--rows {self.rows} --rounds {self.rounds}"]
        parts += [f"--warm-up {self.warm_up} --driver-memory {self.driver_memory}"]
        parts += [f"--only {','.join(self.only)}"] if self.only else []
        parts += [f"--name {self.name}"] if self.name != name_of(self.rows) else []
        return " ".join(parts)


def main() -> None:
    """Measure, print and store."""
    options = parse()
    sizes = Sizes(options.rows)
    if options.again:
        write(*stored(options), options)
        return
    wanted = [figure for figure in aggregate_figures(sizes) if is_wanted(figure, options)]
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        # As many partitions as cores: with the default of 200, starting tasks would be measured.
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        try:
            outcomes, report = measure(spark, folder, wanted, options)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    write(outcomes, report, options)


def write(outcomes: Sequence[Outcome], report: dict[str, Any], options: Options) -> None:
    """Write the results as JSON, as a page and as a picture."""
    text = as_markdown(report, outcomes)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{options.name}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{options.name}.md").write_text(text, encoding="utf-8")
    draw(outcomes, options.results, options.name)


def parse() -> Options:
    """Parse the command line."""
    names = [figure.name for figure in aggregate_figures(Sizes(ROWS))]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--only", default="", help=f"figures, with commas between: {', '.join(names)}")
    parser.add_argument("--driver-memory", default="6g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json, .md and .png")
    parser.add_argument("--name", help="of the results' files; by default it follows from --rows")
    parser.add_argument(
        "--again", action="store_true", help="write the stored results again, measure nothing"
    )
    given = parser.parse_args()
    only = [name for name in given.only.split(",") if name]
    unknown = [name for name in only if name not in names]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(names)}")
    return Options(
        rows=given.rows,
        rounds=given.rounds,
        warm_up=given.warm_up,
        only=only,
        driver_memory=given.driver_memory,
        results=given.results,
        name=given.name or name_of(given.rows),
        again=given.again,
    )


def name_of(rows: int) -> str:
    """Return the name of the result files, so that runs of other sizes do not overwrite the usual ones."""
    if rows == ROWS:
        return NAME
    return f"{NAME}_{rows // 1_000_000}m" if rows % 1_000_000 == 0 else f"{NAME}_{rows}"


def is_wanted(figure: Figure, options: Options) -> bool:
    """Return whether a run measures the figure: if it is named, or by default if the page keeps it."""
    if options.only:
        return figure.name in options.only
    pages = {figure.page for figure in aggregate_figures(Sizes(options.rows))}
    # a page that keeps no figures, such as that of a run of another size, has the usual ones
    return figure.page == (options.name if options.name in pages else "")


def stored(options: Options) -> tuple[list[Outcome], dict[str, Any]]:
    """Return the stored results of a page, without the figures that other pages keep."""
    report = json.loads((options.results / f"{options.name}.json").read_text("utf-8"))
    defined = {figure.name: figure for figure in aggregate_figures(Sizes(report["rows"]))}
    kept = [found for found in report["figures"] if is_wanted(defined[found["name"]], options)]
    names = errors_of(found["name"] for found in kept)
    errors = report.pop("largest_rank_error_ungrouped", {})
    kept_errors = {name: errors[name] for name in names if name in errors}
    if len(kept) < len(report["figures"]) or len(kept_errors) < len(errors):
        report["taken_out"] = True
    report["figures"] = kept
    if kept_errors:
        report["largest_rank_error_ungrouped"] = kept_errors
    outcomes = []
    for found in kept:
        figure = defined[found["name"]]
        now = {(pair.ours, pair.peer): pair for pair in figure.pairs}
        for pair in found["pairs"]:
            pair["kind"] = now[pair["ours"], pair["peer"]].kind
            pair["target"] = now[pair["ours"], pair["peer"]].target
        pairs = tuple(Pair(p["ours"], p["peer"], p["target"], kind=p["kind"]) for p in found["pairs"])
        figure = replace(figure, title=found["title"], rows=found["rows"], pairs=pairs)
        measured = {
            one["contestant"]: Measured(**{key: one[key] for key in one if key != "sql"})
            for one in found["contestants"]
        }
        outcomes.append(Outcome(figure, measured, found["load_before"]))
    return outcomes, report


def measure(
    spark: SparkSession, folder: str, wanted: Sequence[Figure], options: Options
) -> tuple[list[Outcome], dict[str, Any]]:
    """Measure all figures, and return the report."""
    clickhouse, duckdb, data = ClickHouse(), DuckDB(), Datasets(spark, folder, Sizes(options.rows))
    k = k_of(EPSILON)
    report = {
        **provenance(spark, options.command),
        "clickhouse": clickhouse.version,
        "duckdb": duckdb.version,
        "rows": options.rows,
        "rounds": options.rounds,
        "warm_up": options.warm_up,
        "kll": {"k_of_1e-3": k, "error_of_k": error_of(k), "error_of_2000": error_of(2000)},
    }
    rounds = Rounds(
        spark, {"ClickHouse": clickhouse, "DuckDB": duckdb}, data, options.warm_up, options.rounds
    )
    outcomes = []
    for i, figure in enumerate(wanted):
        log_progress(f"figure {i + 1} of {len(wanted)}")
        try:
            outcomes.append(rounds.measure(figure))
        except FAILURES as error:
            # Keep the results of other figures, even if the JVM is gone or the disk is full.
            log_progress(f"{figure.name}: not measured: {first_line(error)}")
    measured = {outcome.figure.name for outcome in outcomes}
    report["not_measured"] = [figure.name for figure in wanted if figure.name not in measured]
    report["figures"] = [as_json(outcome) for outcome in outcomes]
    names = errors_of(measured)
    if names:
        log_progress("accuracy")
        with suppress(*FAILURES):
            report["largest_rank_error_ungrouped"] = rank_errors(
                spark, clickhouse, data.folder("lognormal"), names
            )
    return outcomes, report


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return each round of each contestant, and each pair as shown in tables."""
    figure = outcome.figure
    return {
        "name": figure.name,
        "title": figure.title,
        "rows": figure.rows,
        "query": figure.query,
        "load_before": outcome.load,
        "pairs": pairs_as_json(outcome),
        "contestants": [
            {**asdict(outcome.measured[contestant.name]), "sql": contestant.sql}
            for contestant in figure.contestants
        ],
    }


def as_markdown(report: dict[str, Any], outcomes: Sequence[Outcome]) -> str:
    """Write the tables, from which the README takes rows, and how they were measured."""
    kll = report["kll"]
    lines = [
        "# Aggregates in Spark",
        "",
        f"{report['rows']:,} lognormal doubles in Parquet where nothing else is said, `{report['master']}`. "
        f"{report['rounds']} rounds in turns after {report['warm_up']} to warm up: the median, and the least and "
        "the greatest. *Times as fast* is the seconds of the other by ours, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        *notes(kll, outcomes),
        "",
        *seconds(outcomes),
        "",
        "Peak memory is the total over tasks of the node of the plan that held most; n/a where Spark's operator "
        "does not say. M rows/s are of the rows read, and a stored sketch is a row.",
        "",
    ]
    errors = report.get("largest_rank_error_ungrouped")
    if errors:
        lines += [
            f"Largest true rank error of {len(PHIS)} ungrouped quantiles, by counting:",
            "",
            *[f"- `{name}`: {error:.2e}" for name, error in errors.items()],
            "",
        ]
    if report["not_measured"]:
        lines += [f"Not measured, for a failure: {', '.join(report['not_measured'])}.", ""]
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    lines += [*footer(report), f"- load before each figure: {loads}"]
    if report.get("taken_out"):
        lines.append("- Figures that other pages have now were taken out of this run's page.")
    return "\n".join([*lines, ""])


def notes(kll: dict[str, Any], outcomes: Sequence[Outcome]) -> list[str]:
    """Write the rank errors of contestants whose parameters do not state them."""
    lines = [
        f"- `kll_sketch_agg_double(v, 2000)` is a sketch that nothing has been asked of. Its single-sided rank error "
        f"is {kll['error_of_2000']:.2%} with 99 % confidence, by its own formula; ours is certain.",
        "- “in Spark's operator” is ours with `spark.chronosketch.aggregate.enabled` set to false.",
    ]
    if any(same_operator(outcome, pair) for outcome in outcomes for pair in outcome.figure.pairs):
        lines.append(
            "- Where both ran in the same operator all the same, their ratio is the noise of this table."
        )
    names = {outcome.figure.name for outcome in outcomes}
    if names & {"merging-100", "merging-2000"}:
        lines.append(
            f"- Stored sketches have ε = {EPSILON:g} and k = {kll['k_of_1e-3']:,}, the least k whose error by that "
            f"formula ({kll['error_of_k']:.5%}) is at most ε. Sketches of 100 rows, and of 2 000, still hold all of "
            "them on both sides, so what is merged is exact; what comes of it is not."
        )
    if names & {"clickhouse", "clickhouse-grouped"}:
        lines.append("- ClickHouse reads the same files with two threads, in the process of the benchmark.")
    if "many-groups" in names:
        lines.append("- Rows of the many groups are in random order; 20 values are kept as they are.")
    return lines


def same_operator(outcome: Outcome, pair: Pair) -> bool:
    """Return whether ours ran in Spark's operator although it might have run in our own."""
    if pair.peer != pair.ours + GENERIC:
        return False
    ours, generic = outcome.measured[pair.ours].operators, outcome.measured[pair.peer].operators
    return bool(ours) and ours == generic


def errors_of(measured: Iterable[str]) -> list[str]:
    """Return the aggregates whose rank errors belong on the page of these figures."""
    of = {"ungrouped": [OURS_3, OURS_4, SPARK_3, SPARK_4, KLL], "clickhouse": [GK_3, GK_4]}
    return [name for figure in measured for name in of.get(figure, ())]


def rank_errors(
    spark: SparkSession, clickhouse: ClickHouse, folder: str, names: Sequence[str]
) -> dict[str, float]:
    """Return the largest rank error of each aggregate, relative to the count."""
    array = f"array({', '.join(PHIS)})"
    accuracies = {GK_3: 1000, GK_4: 10000}
    answers = {}
    for name in names:
        if name not in accuracies:
            asked = f"kll_sketch_get_quantile_double({KLL}, {array})" if name == KLL else name
            sql = f"SELECT {asked.replace('0.99', array)} AS a FROM v"
            answers[name] = spark.sql(sql).collect()[0]["a"]
        elif clickhouse.installed:
            sql = f"SELECT quantilesGK({accuracies[name]}, {', '.join(PHIS)})(v) FROM v"
            (answers[name],) = clickhouse.row(sql, folder)
    return {name: rank_error(spark, values) for name, values in answers.items()}


if __name__ == "__main__":
    main()
