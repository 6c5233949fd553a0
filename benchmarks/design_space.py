"""Measures approaches to sliding windows at the workloads of a thesis, and holds the cost model against workloads that it has not seen.

    python benchmarks/design_space.py                  # about 12 minutes on an idle machine
    python benchmarks/design_space.py --only held-out  # one part; the other is as it was stored

It needs no Spark session, only its jars. The thesis is Meijer, On a design space for aggregating over sliding windows on a
stream, Twente 2011; its workloads are those of Tables 5.3 and 5.4.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import statistics
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import chronosketch as cs
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.calibration.running import PROGRAM, class_path, java
from harness.provenance import RESULTS, commit, cpu, memory_gib

if TYPE_CHECKING:
    from chronosketch.advisor.calibration.measurements import Cell

NAME = "design_space"
PARTS = ("thesis", "held-out")
DELTA = 1e-4
RATE = 320
MINUTE = 60 * RATE
THESIS = tuple((r, s) for r in (1, 15, 60) for s in (1, 15, 30) if s <= r)
NEAR = 1.10


def main() -> None:
    """Measure, print and store."""
    options = parse()
    stored = RESULTS / f"{NAME}.json"
    report: dict[str, Any] = json.loads(stored.read_text("utf-8")) if stored.exists() else {"parts": {}}
    for part in (options.only,) if options.only else PARTS:
        found = thesis(options.seconds) if part == "thesis" else held_out(options)
        report["parts"][part] = {
            **found,
            "command": " ".join(
                ["python", "benchmarks/design_space.py", *(sys.argv[1:] or ["--only", part])]
            ),
            "commit": commit(),
            "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        }
        report["machine"] = {"cpu": cpu(), "memory_gib": memory_gib(), "python": platform.python_version()}
        stored.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = markdown(report)
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, help="one part; the other is as it was stored")
    parser.add_argument("--workloads", type=int, default=200, help="held out")
    parser.add_argument("--seconds", type=float, default=0.35, help="for each cell")
    parser.add_argument("--seed", type=int, default=20261123, help="of the workloads held out")
    return parser.parse_args()


def measure(cells: list[tuple[str, str, int, int, float]], seconds: float, seed: int) -> list[Cell]:
    """Measure cells of one workload, each approach once."""
    found = run(cells, max(1, math.ceil(seconds * len(cells))), seed)
    # A long cell may have taken the time of others: each of these by itself.
    done = {cell.approach for cell in found}
    for cell in cells:
        if cell[1] not in done:
            found += run([cell], 5, seed)
    return found


def run(cells: list[tuple[str, str, int, int, float]], seconds: int, seed: int) -> list[Cell]:
    """Run one JVM."""
    flags = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+DisplayVMOutputToStderr"]
    given = [part for cell in cells for part in ("--cell", ",".join(map(str, cell)))]
    limit = ["--seconds", str(seconds), "--seed", str(seed)]
    program = [java(), *flags, "-cp", class_path(), PROGRAM, *limit, *given]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    return list(read_measurements(done.stdout.splitlines(), "the calibrating JVM").cells)


def a_slide(cell: Cell) -> float:
    """Return CPU nanoseconds a slide."""
    return float(cell.cost("time"))


def thesis(seconds: float) -> dict[str, Any]:
    """Measure the workloads of Tables 5.3 and 5.4 at 320 rows a second, by every approach."""
    rows = []
    for aggregate in ("variance", "quantile"):
        for r, s in THESIS:
            advice = cs.advise(
                aggregate=aggregate,
                retention_rows=r * MINUTE,
                slide_rows=s * MINUTE,
                epsilon=0.01,
                delta=DELTA,
            )
            names = [c.approach for c in advice if c.approach in known(aggregate)]
            cells = measure(
                [(aggregate, name, r * MINUTE, s * MINUTE, 0.01) for name in names], 4 * seconds, 1
            )
            predicted = {c.approach: c for c in advice}
            rows += [
                {
                    "aggregate": aggregate,
                    "retention": r,
                    "slide": s,
                    "approach": cell.approach,
                    "ns": a_slide(cell),
                    "predicted": predicted[cell.approach].time.value
                    if predicted[cell.approach].time
                    else None,
                    "bytes": cell.cost("bytes"),
                    "error": cell.error,
                }
                for cell in cells
            ]
            print(f"{aggregate}, {r} min by {s} min", file=sys.stderr)
    return {"rows": rows}


def known(aggregate: str) -> set[str]:
    """Name the approaches that the JVM can measure."""
    numbers = {"expiration_list", "panes"}
    return {
        "variance": numbers | {"variance_histogram", "two_stack"},
        "sum": numbers | {"exponential_histogram", "two_stack"},
        "count": numbers | {"exponential_histogram"},
        "quantile": {
            "expiration_list",
            "block_sort",
            "cmqs",
            "arasu_manku",
            "arasu_manku_variable",
            "bernoulli",
            "priority",
            "bounded_priority",
            "biased_reservoir",
        },
    }[aggregate]


def held_out(options: argparse.Namespace) -> dict[str, Any]:
    """Draw workloads, measure all approaches that serve, and compare with what the shipped model says."""
    draw = random.Random(options.seed)
    rows = []
    for number in range(options.workloads):
        aggregate = draw.choice(("quantile", "quantile", "variance", "sum"))
        retention = round(math.exp(draw.uniform(math.log(1200), math.log(300_000))))
        slide = max(1, round(math.exp(draw.uniform(0, math.log(retention / 2)))))
        if draw.random() < 0.5:
            # as windows of time mostly are
            retention = retention // slide * slide
        epsilon = round(math.exp(draw.uniform(math.log(0.01), math.log(0.1))), 4)
        delta = draw.choice((DELTA, None))
        memory = draw.choice((None, 1, 1, 1)) and round(
            math.exp(draw.uniform(math.log(4096), math.log(24 * retention)))
        )
        asked: dict[str, Any] = {
            "aggregate": aggregate,
            "retention_rows": retention,
            "slide_rows": slide,
            "epsilon": epsilon,
            "delta": delta,
        }
        serving = [c for c in cs.advise(**asked) if c.rank]
        cells = measure(
            [(aggregate, c.approach, retention, slide, epsilon) for c in serving],
            options.seconds,
            number + 100,
        )
        measured = {cell.approach: a_slide(cell) for cell in cells}
        sizes = {cell.approach: cell.cost("bytes") for cell in cells}
        advice = cs.advise(**asked, memory=memory)
        chosen = advice[0].approach if advice[0].rank else None
        fitting = [name for name in measured if memory is None or sizes[name] <= memory]
        best = min(fitting, key=lambda name: measured[name], default=None)
        rows.append(
            {
                "aggregate": aggregate,
                "retention": retention,
                "slide": slide,
                "epsilon": epsilon,
                "delta": delta,
                "memory": memory,
                "chosen": chosen,
                "best": best,
                # none fits, and that is what is said; or the choice needs more than it may have
                "times_best": 1.0
                if chosen == best
                else measured[chosen] / measured[best]
                if chosen in fitting and best
                else None,
                "time_off": [abs(c.time.value / measured[c.approach] - 1) for c in serving],
                "bytes_off": [abs(c.bytes.value / sizes[c.approach] - 1) for c in serving],
            }
        )
        if number % 20 == 19:
            print(f"{number + 1} of {options.workloads} workloads", file=sys.stderr)
    return {"rows": rows, "seed": options.seed}


def markdown(report: dict[str, Any]) -> str:
    """Write the report for people."""
    machine = report["machine"]
    lines = ["# Recompute, keep a summary, or sample", ""]
    for part in report["parts"].values():
        lines.append(f"- `{part['command']}`, {part['date']}, commit {part['commit']}")
    lines += [f"- {machine['cpu']}, {machine['memory_gib']} GiB, Python {machine['python']}, one core", ""]
    if "held-out" in report["parts"]:
        lines += of_held_out(report["parts"]["held-out"])
    if "thesis" in report["parts"]:
        lines += of_thesis(report["parts"]["thesis"]["rows"])
    return "\n".join(lines) + "\n"


def of_held_out(part: dict[str, Any]) -> list[str]:
    """Say how good the advice was."""
    rows = part["rows"]
    lines = [
        "## Workloads that the model has not seen",
        "",
        f"{len(rows)} workloads drawn by seed {part['seed']}: 1 200 to 300 000 rows, slides from 1 row to half of the window, ε from "
        "0.01 to 0.1, half of them windows of whole slides, half of them with δ = 1e-4, three of four with a limit of memory from 4 kB to 24 bytes a row; data of "
        "another seed. The model is the one that is shipped. Every approach that serves was measured; of those that keep to "
        "the memory, measured, the least CPU time of a slide is the best. A choice that keeps more than it may, or none where one "
        "fits, is wrong.",
        "",
        "| aggregate | workloads | the choice is the best | within 10 % of it | wrong about memory | worst of the others | time off (median) | memory off (median) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for aggregate in (*sorted({row["aggregate"] for row in rows}), "all"):
        some = [row for row in rows if aggregate in ("all", row["aggregate"])]
        told = [row["times_best"] for row in some if row["times_best"] is not None]
        best = sum(row["chosen"] == row["best"] for row in some) / len(some)
        near = sum(times <= NEAR for times in told) / len(some)
        time = statistics.median(off for row in some for off in row["time_off"])
        size = statistics.median(off for row in some for off in row["bytes_off"])
        lines.append(
            f"| {aggregate} | {len(some)} | {best:.1%} | {near:.1%} | {len(some) - len(told)} | {max(told, default=1.0):.2f} × | {time:.1%} | {size:.1%} |"
        )
    lines += ["", "| the best by measurement | workloads |", "|---|---|"]
    names = [f"{row['aggregate']}: {row['best'] or 'none fits'}" for row in rows]
    lines += [f"| {name} | {names.count(name)} |" for name in sorted(set(names))]
    return [*lines, ""]


def of_thesis(rows: list[dict[str, Any]]) -> list[str]:
    """Write tables as 6.1 to 6.21: processing time, memory and accuracy."""
    lines = [
        "## The workloads of Tables 5.3 and 5.4",
        "",
        f"{RATE} rows a second; ε = 0.01, δ = 1e-4; R and S in minutes. Time is CPU of a slide, measured and predicted by the shipped "
        "model, whose grid ends at 307 200 rows (16 minutes). A sample for this ε and δ has 138 156 rows.",
        "",
    ]
    for aggregate in ("variance", "quantile"):
        lines += [
            f"### {aggregate}",
            "",
            "| R | S | approach | ms a slide | predicted | MB | error |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in rows:
            if row["aggregate"] == aggregate:
                predicted = "" if row["predicted"] is None else f"{row['predicted'] / 1e6:.3g}"
                lines.append(
                    f"| {row['retention']} | {row['slide']} | {row['approach']} | {row['ns'] / 1e6:.3g} | {predicted} | "
                    f"{row['bytes'] / 1e6:.3g} | {row['error']:.2g} |"
                )
        lines.append("")
    return lines


if __name__ == "__main__":
    main()
