"""Tests whether grouped quantiles finish in a small heap: each case in its own Spark with 2 GB for the driver.

Run it with nothing else on the machine: ``python benchmarks/spark_memory.py``. It needs no files: values and
keys are hashes of a range. It writes ``benchmarks/results/spark_memory.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS, footer, provenance
from harness.rounds import log_progress
from harness.sessions import aggregates, chosen, last_plan, start
from harness.spread import spaced

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Words in the names of the metrics to show: groups passed to the next stage early, memory, and spills to disk.
WORDS = ("hand", "peak memory", "spill", "sort fallback")
# A log-uniform pseudo-random double, computed from the row's number.
VALUE = "exp(CAST(xxhash64(id, 'value') AS DOUBLE) / 3e18)"
QUANTILE = "approx_quantile(v, 0.99)"


@dataclass(frozen=True)
class Case:
    """A case: the number of groups, and of rows per group, in random order."""

    name: str
    groups: int
    rows_each: int

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return self.groups * self.rows_each

    @property
    def query(self) -> str:
        """The query over a range ``r``."""
        if self.groups == 1:
            return f"SELECT {QUANTILE} FROM (SELECT {VALUE} AS v FROM r)"
        key = f"pmod(xxhash64(id), {self.groups})"
        return f"SELECT k, {QUANTILE} FROM (SELECT {key} AS k, {VALUE} AS v FROM r) GROUP BY k"

    def scaled(self, scale: float) -> Case:
        """Return a smaller case with fewer groups, or fewer rows if there is one group."""
        if self.groups == 1:
            return Case(self.name, 1, max(1, round(self.rows_each * scale)))
        return Case(self.name, max(1, round(self.groups * scale)), self.rows_each)


CASES = (
    Case("groups of 2000", 100_000, 2_000),
    Case("one group", 1, 100_000_000),
    Case("groups of 20", 1_000_000, 20),
)


def main() -> None:
    """Run the cases, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="0.01 to see whether it runs")
    parser.add_argument("--driver-memory", default="2g")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds after which a case has not ended")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    parser.add_argument("--case", choices=[case.name for case in CASES], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        case = next(case for case in CASES if case.name == options.case)
        print(json.dumps(run(case.scaled(options.scale), options.driver_memory, command(options))))
        return
    cases = []
    for case in CASES:
        log_progress(f"{case.name}: {case.scaled(options.scale).rows:,} rows")
        cases.append(run_in_new_process(case, options))
    report = combined(cases)
    text = as_markdown(report)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "spark_memory.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / "spark_memory.md").write_text(text, encoding="utf-8")


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    scale = "" if options.scale == 1.0 else f" --scale {options.scale:g}"
    return f"python benchmarks/spark_memory.py --driver-memory {options.driver_memory}{scale}"


def run_in_new_process(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """Run a case in a new process, because a heap that was full once stays large."""
    scaled = case.scaled(options.scale)
    told = {"case": case.name, "groups": scaled.groups, "rows": scaled.rows}
    arguments = ["--case", case.name, "--scale", str(options.scale), "--driver-memory", options.driver_memory]
    try:
        done = subprocess.run(
            [sys.executable, __file__, *arguments],
            capture_output=True,
            text=True,
            timeout=options.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {**told, "ended": False, "why": f"not within {options.timeout} s"}
    if done.returncode != 0:
        log_progress(done.stderr[-4000:])
        return {**told, "ended": False, "why": reason(done.stderr)}
    return {**told, "ended": True, **json.loads(done.stdout.splitlines()[-1])}


def reason(log: str) -> str:
    """Return the line of a log that tells why the process ended."""
    lines = [line.strip() for line in log.splitlines()]
    for word in ("OutOfMemory", "Error"):
        found = [line for line in lines if word in line]
        if found:
            # A vertical bar would end the cell of the table.
            return found[-1][:120].replace("|", "/")
    return "it ended without a word"


def run(case: Case, driver_memory: str, command_line: str) -> dict[str, Any]:
    """Run a case and return the results."""
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, driver_memory)
        try:
            spark.range(case.rows).createOrReplaceTempView("r")
            started = perf_counter()
            spark.sql(case.query).write.format("noop").mode("overwrite").save()
            seconds = perf_counter() - started
            nodes = last_plan(spark)
            return {
                "seconds": round(seconds, 2),
                "query": case.query,
                "operators": aggregates(nodes),
                "metrics": chosen(nodes, WORDS),
                "peak_resident": peak_resident(spark),
                "provenance": provenance(spark, command_line),
            }
        finally:
            spark.stop()


def peak_resident(spark: SparkSession) -> str | None:
    """Return the peak resident memory of the JVM, if the system tells."""
    assert spark.sparkContext._jvm is not None
    process = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    kib = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)
    return None if kib is None else f"{kib / 2**20:.2f} GiB"


def combined(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Combine the cases, with their common facts stated once."""
    told = [case.pop("provenance") for case in cases if "provenance" in case]
    return {**(told[0] if told else {}), "cases": cases}


def as_markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    lines = [
        "# Grouped quantiles in a small heap",
        "",
        f"`{QUANTILE}` at the default ε over hashed keys in random order, each case in a JVM of its own, once.",
        "",
        "| groups | rows | ended | seconds | JVM's peak | operator |",
        "|---|---|---|---|---|---|",
        *[_row(case) for case in report["cases"]],
        "",
    ]
    for case in report["cases"]:
        for node, metrics in case.get("metrics", {}).items():
            told = "; ".join(f"{name} {value}" for name, value in metrics.items())
            groups = "one group" if case["groups"] == 1 else f"{spaced(case['groups'])} groups"
            lines.append(f"- {groups}, {node}: {told}")
    lines += [
        "",
        "Nodes from the last of the plan to the first; in brackets the least, middle and greatest task.",
        "",
    ]
    if "commit" in report:
        lines += [*footer(report), ""]
    return "\n".join(lines)


def _row(case: dict[str, Any]) -> str:
    cells = [
        spaced(case["groups"]),
        spaced(case["rows"]),
        "yes" if case["ended"] else f"no: {case['why']}",
        f"{case['seconds']:.1f}" if case["ended"] else "",
        case.get("peak_resident") or "n/a",
        ", ".join(case.get("operators", [])) or "n/a",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
