"""Stores results, in parts that can be measured again alone, with the commit, versions and machine that they come from."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chronosketch as cs
import pyspark
from chronosketch.jar import jar_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

    Part = dict[str, Any]


TOP = Path(__file__).resolve().parents[2]
RESULTS = TOP / "benchmarks" / "results"


def provenance(spark: SparkSession, command: str) -> dict[str, Any]:
    """Return everything needed to run it again and compare."""
    java = spark.sparkContext._jvm.java.lang.System  # type: ignore[union-attr]
    return {
        "command": command,
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit(),
        "chronosketch": cs.__version__,
        # The commit identifies the sources; this shows whether two results ran the same build.
        "jar_sha256": hashlib.sha256(jar_path().read_bytes()).hexdigest()[:12],
        "spark": spark.version,
        "pyspark": pyspark.__version__,
        "python": platform.python_version(),
        "java": f"{java.getProperty('java.vm.name')} {java.getProperty('java.vm.version')}",
        "master": spark.sparkContext.master,
        "driver_memory": spark.conf.get("spark.driver.memory"),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "memory_gib": memory_gib()},
    }


def footer(report: dict[str, Any]) -> list[str]:
    """Write the provenance as lines of a page."""
    machine = report["machine"]
    clickhouse = f", ClickHouse {report['clickhouse']}" if report.get("clickhouse") else ""
    duckdb = f", DuckDB {report['duckdb']}" if report.get("duckdb") else ""
    return [
        f"- `{report['command']}`, {report['date']}, commit {report['commit']}",
        f"- chronosketch {report['chronosketch']} (jar {report['jar_sha256']}), Spark {report['spark']}, "
        f"Python {report['python']}{clickhouse}{duckdb}",
        f"- {report['java']}, `{report['master']}`, driver {report['driver_memory']}",
        f"- {machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB",
    ]


def commit() -> str:
    """Return the measured commit, and whether files differed from it."""
    head = _git("rev-parse", "--short", "HEAD")
    return f"{head} with changes" if _git("status", "--porcelain", "--", "jvm") else head


def load() -> float:
    """Return the load average of the last minute, which shows what else the machine was doing."""
    return round(os.getloadavg()[0], 1)


def cpu() -> str:
    """Return the name of the processor, if the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def memory_gib() -> int:
    """Return the machine's memory."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=TOP, capture_output=True, text=True, check=False
    ).stdout.strip()


def stored_parts(file: Path) -> dict[str, Part]:
    """Return the stored parts of a report; empty if nothing is stored."""
    return json.loads(file.read_text("utf-8"))["parts"] if file.exists() else {}


def store_parts(file: Path, parts: dict[str, Part]) -> None:
    """Store the parts of a report."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"parts": parts}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def measure_parts(
    file: Path, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> dict[str, Part]:
    """Measure all parts or only one, store each when it is measured, and return all stored parts."""
    report = stored_parts(file) if only else {}
    for part in (only,) if only else parts:
        report[part] = one(part)
        store_parts(file, report)
    return report


def measure_and_write(
    folder: Path, name: str, title: str, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> None:
    """Measure the parts of a report, and print the lines under each part's key ``text``."""
    write_page(folder, name, title, parts, measure_parts(folder / f"{name}.json", parts, only, one))


def write_page(folder: Path, name: str, title: str, parts: Sequence[str], report: dict[str, Part]) -> None:
    """Write a report as a page, and print it."""
    lines = [line for part in parts if part in report for line in report[part]["text"]]
    text = "\n".join([title, *lines])
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
