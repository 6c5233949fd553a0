"""Profiles where queries spend their time, by async-profiler, and measures what their scan alone takes.

Run it with nothing else on the machine::

    python benchmarks/profiles.py
    python benchmarks/profiles.py --rows 2000000 --only grouped,columns

It makes its own data in a temporary folder, and writes ``benchmarks/results/profiles.json`` and ``.md``. It needs Linux or macOS.
async-profiler comes from Maven Central at the first start, and is kept in the cache that ``./sbt`` has.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.profile_figures import ProfileData, profiled
from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Rounds, first_line, log_progress
from harness.sampler import Sampler, settings
from harness.sessions import start
from harness.spread import Spread, spaced

if TYPE_CHECKING:
    from harness.figures import Figure

ROWS = 20_000_000
NAME = "profiles"


def main() -> None:
    """Measure, record, print and store."""
    options = parse()
    wanted = [
        figure
        for figure in profiled(options.rows)
        if not options.only or figure.name in options.only.split(",")
    ]
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        # As many partitions as cores: with the default of 200, starting tasks would be measured.
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2", **settings()})
        report: dict[str, Any] = {**provenance(spark, command(options)), "rows": options.rows, "profiles": []}
        try:
            sampler = Sampler(spark, Path(folder))
            data = ProfileData(spark, Path(folder), options.rows)
            rounds = Rounds(spark, {}, data, options.warm_up, options.rounds)
            for i, figure in enumerate(wanted):
                log_progress(f"query {i + 1} of {len(wanted)}")
                try:
                    report["profiles"].append(profile(sampler, rounds, figure, options.seconds))
                except FAILURES as error:
                    # Keep the results of other queries.
                    log_progress(f"{figure.name}: not profiled: {first_line(error)}")
        finally:
            with suppress(*FAILURES):
                spark.stop()
    text = as_markdown(report)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{NAME}.json").write_text(
        json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{NAME}.md").write_text(text, encoding="utf-8")


def profile(sampler: Sampler, rounds: Rounds, figure: Figure, at_least: float) -> dict[str, Any]:
    """Measure a query and its floors, then run it repeatedly for at least `at_least` seconds while sampling."""
    outcome = rounds.measure(figure)
    query = figure.contestants[0]

    def again() -> None:
        began = perf_counter()
        while perf_counter() - began < at_least:
            rounds.run(figure, query, "", outcome.measured[query.name])

    if any(measured.note for measured in outcome.measured.values()):
        raise RuntimeError("a query failed")
    samples = sampler.record(again)
    return {
        "name": figure.name,
        "title": figure.title,
        "rows": figure.rows,
        "query": query.name,
        "sql": query.sql,
        "load_before": outcome.load,
        "seconds": {name: measured.seconds for name, measured in outcome.measured.items()},
        "notes": {name: measured.note for name, measured in outcome.measured.items() if measured.note},
        "samples": samples.places.total(),
        "samples_in_tasks": samples.in_tasks,
        "places": [
            {"place": place, "samples": n, "methods": dict(samples.methods[place].most_common(10))}
            for place, n in samples.places.most_common()
        ],
    }


def as_markdown(report: dict[str, Any]) -> str:
    """Write the results as a page."""
    lines = [
        "# Where the time goes",
        "",
        f"{spaced(report['rows'])} rows in Parquet; sliding frames over a quarter of them, hopping windows over a half, and 20 columns "
        "of a fifth. Each query ran in turns with its floors: the median of the rounds, and the least and the greatest. Then it ran "
        "again under async-profiler, which took a sample of a thread for every millisecond of CPU time that the thread used. A thread "
        "that waits is in no sample.",
        "",
        "- A sample of a task counts for the innermost of its Java methods that belongs to one of the places. What the JDK, native code "
        "and the kernel do counts for the method that called them. *Most of it in* names the method that has most of the samples.",
        "- The JVM's own threads run on the same cores: they collect garbage, and compile methods while these are new. Their samples, "
        "and those of all other threads outside of tasks, have the names of the threads. Objects are marked in the background for all "
        "queries so far, and the samples are of the query that runs then.",
        "- *The scan alone* reads the same columns and takes their `max`. No aggregate of the rows takes less.",
        "",
    ]
    for one in report["profiles"]:
        lines += [*_profile(one), ""]
    loads = ", ".join(str(one["load_before"]) for one in report["profiles"])
    return "\n".join([*lines, *footer(report), f"- load before each query: {loads}", ""])


def _profile(one: dict[str, Any]) -> list[str]:
    query, *floors = one["seconds"]
    lines = [
        f"## `{query}`, {one['title']}, {spaced(one['rows'])} rows",
        "",
        "| | seconds | of the query |",
        "|---|---|---|",
    ]
    median = Spread.of(one["seconds"][query]).median if one["seconds"][query] else None
    for name in (query, *floors):
        seconds = one["seconds"][name]
        spread = Spread.of(seconds) if seconds else None
        share = f"{spread.median / median:.0%}" if spread and median else ""
        label = f"`{name}`" if name == query else name
        lines.append(f"| {label} | {spread or one['notes'][name]} | {share} |")
    lines += ["", "| where | share | most of it in |", "|---|---|---|"]
    for place in one["places"]:
        most = short(next(iter(place["methods"]), ""))
        share = f"{place['samples'] / one['samples']:.1%}"
        lines.append(f"| {place['place']} | {share} | {f'`{most}`' if most else ''} |")
    return [
        *lines,
        "",
        f"{spaced(one['samples'])} samples, {one['samples_in_tasks'] / one['samples']:.0%} of them in tasks.",
    ]


def short(method: str) -> str:
    """Return a method's name with its class but no package, without the additions of the compilers."""
    *_, of, name = method.split(".") if "." in method else ("", method)
    # a lambda contains the name of its method; a member used by a trait or a closure has its class as a prefix
    lambda_of = re.fullmatch(r"\$anonfun\$(.+?)(\$\d+)?(\$adapted)?", name)
    name = (lambda_of.group(1) if lambda_of else name).rpartition("$$")[2].rstrip("$")
    return f"{of.rstrip('$')}.{name}" if of else name


def parse() -> argparse.Namespace:
    """Parse the command line."""
    names = [figure.name for figure in profiled(ROWS)]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=6.0, help="at least so long a query is recorded")
    parser.add_argument("--only", default="", help=f"queries, with commas between: {', '.join(names)}")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    given = parser.parse_args()
    unknown = [name for name in given.only.split(",") if name and name not in names]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(names)}")
    return given


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    parts = [
        f"python benchmarks/profiles.py --rows {options.rows} --rounds {options.rounds} --warm-up {options.warm_up}"
    ]
    parts += [f"--seconds {options.seconds:g} --driver-memory {options.driver_memory}"]
    parts += [f"--only {options.only}"] if options.only else []
    return " ".join(parts)


if __name__ == "__main__":
    main()
