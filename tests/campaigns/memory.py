"""Aggregate and slide with little memory, and compare every answer with the exact one. Run by hand.

python tests/campaigns/memory.py FOLDER groups frames scarce

groups: a million groups, 2 GB for the driver. frames: frames of up to --rows rows, 2 GB. scarce: aggregations in a small
heap of which Spark may use a tenth, so that groups are flushed early and spilled by the hundreds. Each case runs in its
own JVM. The exact answers follow from how values are generated, so that checking needs no memory.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "benchmarks"))

from harness.results import provenance  # noqa: E402
from harness.sessions import last_plan, start  # noqa: E402

METRICS = ("flush", "spill", "hand-over", "certified", "peak memory", "large frames", "ranges")
MULTIPLIER, MODULUS = 48271, 2147483647


def run_groups(spark, options):
    """Aggregate a million groups of twenty rows in random order. Every quantile is known."""
    groups, each = options.groups, 20
    # row j of group k has the value 1000 j + k % 1000, so its rank is j + 1
    rows = (
        f"SELECT pmod(id * 7919, {groups}) AS k, pmod(id div {groups} * 7, {each}) * 1000L + pmod(id * 7919, {groups}) % 1000 AS v "
        f"FROM range(0, {groups * each}, 1, 4)"
    )
    asked = (
        "approx_quantile(v, array(0, 0.25, 0.5, 0.99, 1)) AS q, approx_quantile_bounds(v, 0.5) AS b, "
        "sketch_count(quantile_sketch_agg(v, 1e-4)) AS s, count(*) AS n, min(v) AS least, max(v) AS most"
    )
    right = (
        f"q = array(k % 1000, 4000 + k % 1000, 9000 + k % 1000, {each - 1}000 + k % 1000, {each - 1}000 + k % 1000) "
        f"AND b.low = 9000 + k % 1000 AND b.high = b.low AND s = {each} AND n = {each} AND least = k % 1000 AND most = {each - 1}000 + k % 1000"
    )
    query = f"SELECT count(*), count_if(NOT ({right})) FROM (SELECT k, {asked} FROM ({rows}) GROUP BY k)"
    found, wrong = spark.sql(query).first()
    assert found == groups, (found, groups)
    return {"rows": groups * each, "answers": found, "violations": wrong}


def run_frames(spark, options):
    """Slide over frames of up to all rows, exact or certified. Compare some answers with sorting."""
    n, checked = options.rows, 12
    epsilon, phis = 1e-3, (0.01, 0.5, 0.99)
    frame = f"ORDER BY id ROWS BETWEEN {options.frame - 1} PRECEDING AND CURRENT ROW"
    asked = f"array({', '.join(map(str, phis))})"
    rows = f"SELECT id, CAST(pmod(id * {MULTIPLIER}, {MODULUS}) AS INT) AS v FROM range(0, {n}, 1, 4)"
    step = n // checked
    query = (
        f"SELECT id, q, b FROM (SELECT id, approx_quantile(v, {asked}, {epsilon}) OVER ({frame}) AS q, "
        f"approx_quantile_bounds(v, {asked}, {epsilon}) OVER ({frame}) AS b FROM ({rows})) WHERE id % {step} = {step - 1} OR id = {n - 1}"
    )
    answers = spark.sql(query).collect()
    numbers = memory_metrics(last_plan(spark))
    violations = 0
    values = (np.arange(n, dtype=np.int64) * MULTIPLIER % MODULUS).astype(np.int32)
    for row in answers:
        part = values[max(0, row.id - options.frame + 1) : row.id + 1]
        for phi, answer, (low, high) in zip(phis, row.q, row.b, strict=True):
            rank = max(1, -(-int(phi * 100) * len(part) // 100))
            below, up_to = int((part < answer).sum()), int((part <= answer).sum())
            off = max(0, below + 1 - rank, rank - up_to)
            is_enclosed = (part <= high).sum() >= rank > (part < low).sum()
            allowed = 0 if len(part) <= options.exact else epsilon * len(part)
            violations += not (off <= allowed and is_enclosed)
    return {
        "rows": n,
        "frame": options.frame,
        "answers": n,
        "checked": len(answers) * len(phis),
        "violations": violations,
        "metrics": numbers,
    }


def run_scarce(spark, options):
    """Aggregate and slide with too little memory, with all kinds of keys. The exact answers are known."""
    report = {"queries": 0, "answers": 0, "violations": 0}
    metrics = []

    def ask(query, expected, **labels):
        found, wrong = spark.sql(query).first()
        report["queries"] += 1
        report["answers"] += found
        report["violations"] += wrong + abs(found - expected)
        metrics.append({**labels, **memory_metrics(last_plan(spark))})
        print(report["queries"], metrics[-1], file=sys.stderr, flush=True)

    for keys in (
        "k",
        "CAST(k AS STRING)",
        "k % 1000, CAST(k DIV 1000 AS STRING)",
        "CAST(k AS DECIMAL(20,2)), k % 7",
    ):
        for partitions in (1, 2, 8):
            for codegen in ("true", "false"):
                spark.conf.set("spark.sql.codegen.wholeStage", codegen)
                spark.conf.set("spark.sql.shuffle.partitions", partitions)
                query = scarce_groups(keys, options.scarce_groups)
                ask(query, options.scarce_groups, keys=keys, partitions=partitions, codegen=codegen)
    for partitions in (1, 4):
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        for frame in (100, 10_000):
            ask(
                scarce_frames(options.scarce_rows, frame),
                options.scarce_rows,
                frame=frame,
                partitions=partitions,
            )
    report["flushes"] = sum(count(m, "flush") for m in metrics)
    report["hand-overs"] = sum(count(m, "hand-over") for m in metrics)
    report["spilled"] = sum(
        any("spill" in name and not value.startswith("0.0 B") for name, value in m.items()) for m in metrics
    )
    return {**report, "metrics": metrics}


def scarce_groups(keys, groups):
    """Return groups of twelve rows each: row j of group k has the value 1000 j + k % 1000."""
    each = 12
    rows = (
        f"SELECT pmod(id * 7919, {groups}) AS k, pmod(id div {groups} * 7, {each}) * 1000L + "
        f"pmod(id * 7919, {groups}) % 1000 AS v FROM range(0, {groups * each}, 1, 2)"
    )
    asked = (
        "approx_quantile(v, array(0, 0.5, 1)) AS q, count(*) AS n, sum(v) AS t, min(k) AS k, "
        "sketch_count(quantile_sketch_agg(v)) AS s"
    )
    right = (
        f"q = array(k % 1000, 5000 + k % 1000, {each - 1}000 + k % 1000) AND n = {each} AND s = {each} "
        f"AND t = {each * (each - 1) // 2 * 1000} + {each} * (k % 1000)"
    )
    return f"SELECT count(*), count_if(NOT ({right})) FROM (SELECT {asked} FROM ({rows}) GROUP BY {keys})"


def scarce_frames(rows, frame):
    """Return frames of four partitions with unordered rows, whose value is their position."""
    asked = f"approx_quantile(o, 0.5) OVER (PARTITION BY o % 4 ORDER BY o ROWS {frame - 1} PRECEDING)"
    slid = f"SELECT o, {asked} AS q FROM (SELECT pmod(id * 7919, {rows}) AS o FROM range(0, {rows}, 1, 2))"
    n = f"least({frame}, o div 4 + 1)"
    return f"SELECT count(*), count_if(NOT (q = o - 4 * ({n} - ({n} + 1) div 2))) FROM ({slid})"


def count(metrics, word):
    """Add up a metric of a plan's operators."""
    return sum(int(re.sub(r"[^\d]", "", v.split("(")[0]) or 0) for k, v in metrics.items() if word in k)


def memory_metrics(nodes):
    """Return the memory metrics of our operators."""
    numbers = {}
    for i, node in enumerate(nodes):
        if node.name.startswith("Sketch"):
            for name, value in node.metrics.items():
                if any(word in name for word in METRICS):
                    numbers[f"{node.name} {i}: {name}"] = value.splitlines()[-1]
    return numbers


CASES = {
    "groups": (run_groups, {"memory": "2g"}),
    "frames": (run_frames, {"memory": "2g"}),
    "scarce": (run_scarce, {"memory": "512m", "spark.memory.fraction": "0.1"}),
}


def in_a_process(name, options):
    """Run a case in a new process."""
    body, conf = CASES[name]
    conf = dict(conf)
    with tempfile.TemporaryDirectory() as folder:
        memory = conf.pop("memory")
        spark = start(folder, memory, conf)
        try:
            begun = time.monotonic()
            report = body(spark, options)
            report["seconds"] = round(time.monotonic() - begun, 1)
            report["settings"] = {"spark.driver.memory": memory, **conf}
            command = " ".join(["python", "tests/campaigns/memory.py", "FOLDER", name])
            report["provenance"] = provenance(spark, command)
        finally:
            spark.stop()
    print(json.dumps(report))


def main():
    """Run the named cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*", metavar="case", help=", ".join(CASES))
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--frame", type=int, default=100_000_000)
    parser.add_argument("--exact", type=int, default=10_000_000, help="up to how many rows frames are exact")
    parser.add_argument("--scarce-groups", type=int, default=60_000)
    parser.add_argument("--scarce-rows", type=int, default=1_000_000)
    parser.add_argument("--one", choices=list(CASES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not set(options.cases) <= set(CASES):
        parser.error(f"cases are {', '.join(CASES)}")
    if options.one:
        in_a_process(options.one, options)
        return
    Path(options.folder).mkdir(parents=True, exist_ok=True)
    sizes = [
        x
        for n in ("groups", "rows", "frame", "exact", "scarce_groups", "scarce_rows")
        for x in (f"--{n.replace('_', '-')}", str(getattr(options, n)))
    ]
    for name in options.cases or CASES:
        done = subprocess.run(
            [sys.executable, __file__, options.folder, "--one", name, *sizes],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"{name} did not end: {done.returncode}")
            continue
        report = json.loads(done.stdout.splitlines()[-1])
        Path(options.folder, f"{name}.json").write_text(json.dumps(report, indent=1))
        print(name, {k: v for k, v in report.items() if k not in ("metrics", "provenance")}, flush=True)


if __name__ == "__main__":
    main()
