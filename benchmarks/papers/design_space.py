"""Measures approaches to sliding windows at the workloads of a thesis, and tests the cost model on new workloads.

    python benchmarks/papers/design_space.py                  # about half an hour on an idle machine
    python benchmarks/papers/design_space.py --only held-out  # one part; the others stay as stored

Parts: `thesis` measures the workloads of Tables 5.3 and 5.4; `held-out` draws random workloads, asks for advice on them, and measures
them; `models` fits the measurements from which the shipped model was made, which are stored with the results (`chronosketch calibrate
--grid large` writes such a file). It needs no Spark session, only its jars. The thesis is Meijer, On a design space for aggregating
over sliding windows on a stream, Twente 2011.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chronosketch as cs
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.calibration.running import PROGRAM, class_path, java
from chronosketch.advisor.plots import draw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the harness

from design_guidelines import page
from design_models import models, table_8_1
from design_models import tables as of_models
from design_thesis import DELTA, thesis
from design_thesis import tables as of_thesis
from harness.results import RESULTS, commit, cpu, memory_gib

if TYPE_CHECKING:
    from chronosketch.advisor.calibration.measurements import Cell

NAME = "design_space"
PARTS = ("thesis", "held-out", "models")
MEASUREMENTS = RESULTS / f"{NAME}-measurements.jsonl"
CALIBRATED_BY = 1
NEAR = 1.10
LEAST = 500


def main() -> None:
    """Measure, print and store."""
    options = parse()
    stored = RESULTS / f"{NAME}.json"
    report: dict[str, Any] = json.loads(stored.read_text("utf-8")) if stored.exists() else {"parts": {}}
    for part in (options.only,) if options.only else PARTS:
        if part == "thesis":
            found = thesis(measure, 4 * options.seconds)
        elif part == "models":
            found = models(MEASUREMENTS, CALIBRATED_BY)
        else:
            found = held_out(options)
        report["parts"][part] = {
            **found,
            "command": " ".join(
                ["python", "benchmarks/papers/design_space.py", *(sys.argv[1:] or ["--only", part])]
            ),
            "commit": commit(),
            "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
            "machine": {"cpu": cpu(), "memory_gib": memory_gib(), "python": platform.python_version()},
        }
        stored.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draw_example()
    text = markdown(report)
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, help="one part; the other is as it was stored")
    parser.add_argument("--workloads", type=int, default=200, help="held out")
    parser.add_argument("--seconds", type=float, default=0.35, help="for each cell")
    parser.add_argument("--seed", type=int, default=7, help="of the workloads held out")
    return parser.parse_args()


def measure(cells: list[tuple[str, str, int, int, float]], seconds: float, seed: int) -> list[Cell]:
    """Measure the cells of one workload, each approach once."""
    found = run(cells, max(1, math.ceil(seconds * len(cells))), seed)
    # A long cell may have used up the time of others: run each of these separately.
    done = {cell.approach for cell in found}
    for cell in cells:
        if cell[1] not in done:
            found += run([cell], 5, seed)
    return found


def run(cells: list[tuple[str, str, int, int, float]], seconds: int, seed: int) -> list[Cell]:
    """Measure cells in one JVM."""
    # An expiration list of 360 million rows is a ring buffer of 4 GB, and sorts a copy.
    flags = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+DisplayVMOutputToStderr", "-Xmx16g"]
    given = [part for cell in cells for part in ("--cell", ",".join(map(str, cell)))]
    limit = ["--seconds", str(seconds), "--seed", str(seed)]
    program = [java(), *flags, "-cp", class_path(), PROGRAM, *limit, *given]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    # the time may be over before the first cell
    if all(json.loads(line)["kind"] != "cell" for line in lines):
        return []
    return list(read_measurements(lines, "the calibrating JVM").cells)


def ns_per_slide(cell: Cell) -> float:
    """Return the CPU nanoseconds per slide."""
    return float(cell.cost("time"))


def held_out(options: argparse.Namespace) -> dict[str, Any]:
    """Draw workloads, measure all suitable approaches, and compare with the predictions of the shipped model."""
    draw = random.Random(options.seed)
    rows = []
    for number in range(options.workloads):
        aggregate = draw.choice(("quantile", "quantile", "variance", "sum"))
        retention = round(math.exp(draw.uniform(math.log(LEAST), math.log(300_000))))
        slide = max(1, round(math.exp(draw.uniform(0, math.log(retention / 2)))))
        if draw.random() < 0.5:
            # most windows of time are a multiple of their slide
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
        measured = {cell.approach: ns_per_slide(cell) for cell in cells}
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
                # no approach fits, and the advice says so; or the choice needs more than the limit
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
    """Write the report as a page."""
    lines = ["# Recompute, keep a summary, or sample", ""]
    for part in report["parts"].values():
        machine = part["machine"]
        lines.append(
            f"- `{part['command']}`, {part['date']}, commit {part['commit']}, one core of {machine['cpu']} with "
            f"{machine['memory_gib']} GiB, Python {machine['python']}"
        )
    lines.append("")
    if "held-out" in report["parts"]:
        lines += held_out_lines(report["parts"]["held-out"])
    lines += [
        "## Space and time (Figure 8.1)",
        "",
        "Variance of the last hour every 10 minutes, 320 rows a second, ε = 0.05, by the shipped model:",
        "",
        f"![Predicted time over predicted memory]({NAME}-light.png)",
        "",
    ]
    if "thesis" in report["parts"]:
        lines += page(report["parts"]["thesis"]["rows"])
        lines += of_thesis(report["parts"]["thesis"])
    if "models" in report["parts"]:
        lines += table_8_1(report["parts"]["models"])
        lines += of_models(report["parts"]["models"])
    return "\n".join(lines) + "\n"


def held_out_lines(part: dict[str, Any]) -> list[str]:
    """Write how good the advice was."""
    rows = part["rows"]
    lines = [
        "## Workloads that the model has not seen",
        "",
        f"{len(rows)} workloads drawn by seed {part['seed']}: {LEAST} to 300 000 rows, slides from 1 row to half of the window, ε from "
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


def draw_example() -> None:
    """Draw Figure 8.1: memory and time of approaches to the variance of the last hour every ten minutes."""
    advice = cs.advise(
        aggregate="variance", retention="1 hour", slide="10 minutes", rate=320, epsilon=0.05, delta=DELTA
    )
    for theme in ("light", "dark"):
        draw(advice, RESULTS / f"{NAME}-{theme}.png", None, theme)


if __name__ == "__main__":
    main()
