"""Measures sketches that Python builds and merges: chronosketch, and the packages datasketches and ddsketch.

Run it with nothing else on the machine::

    python benchmarks/sketch_building.py

Each round runs all of them in turns, in one thread, with the same values in memory. It writes ``benchmarks/results/sketch_building.json``
and ``.md``. A package that is missing is left out. The package ddsketch takes one value at a time, so it gets fewer values.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import import_module
from importlib.metadata import version
from os import cpu_count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from chronosketch import __version__, arrow
from chronosketch.sketch import DDSketch, Sketch
from harness.results import RESULTS, commit, cpu, load
from harness.rounds import turns
from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAME = "sketch_building"
OURS, OURS_DD, KLL, DD = "chronosketch", "chronosketch, DDSketch", "datasketches, KLL", "ddsketch"
EPSILON, ALPHA = 1e-3, 0.01
# the least k for which the library states a rank error of ε with 99 % confidence
KLL_K = 2900
SMALL, LARGE, TOGETHER = 20, 10_000, 20


@dataclass(frozen=True)
class Side:
    """A contestant: what it runs, and how many values or sketches that takes."""

    run: Callable[[], object]
    items: int


def main() -> None:
    """Measure, print and store."""
    options = parse()
    figures = []
    for name, unit, target, sides in tasks(options.scale):
        rates: dict[str, list[float]] = {side: [] for side in sides}
        for nth in range(options.rounds + 1):
            for side in turns(list(sides), nth):
                began = time.process_time()
                sides[side].run()
                if nth:
                    rates[side].append(sides[side].items / (time.process_time() - began))
            print(f"{name}: round {nth} of {options.rounds}", file=sys.stderr)
        figures.append(
            {"name": name, "unit": unit, "target": target, "a_second": rates, "pairs": pairs(rates)}
        )
    report: dict[str, Any] = {
        "command": f"python benchmarks/sketch_building.py --scale {options.scale} --rounds {options.rounds}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit(),
        "chronosketch": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
        **{name: version(name) for name in ("datasketches", "ddsketch") if package(name) is not None},
        "machine": {"cpu": cpu(), "cores": cpu_count()},
        "load": load(),
        "figures": figures,
    }
    text = "\n".join(markdown(report))
    (RESULTS / f"{NAME}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="10 million values times this")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def pairs(rates: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return how many times as fast ours is as each package."""
    return [
        {
            "ours": OURS,
            "peer": side,
            "times_as_fast": Spread.of([a / b for a, b in zip(rates[OURS], theirs, strict=True)]).__dict__,
        }
        for side, theirs in rates.items()
        if side in (KLL, DD)
    ]


def package(name: str) -> Any:
    """Return a package, or None if it is missing."""
    try:
        return import_module(name)
    except ImportError:
        return None


def tasks(scale: float) -> list[tuple[str, str, float, dict[str, Side]]]:
    """Return what is measured: its name, what is counted, the target in a second, and the sides."""
    n = int(1e7 * scale)
    values = np.exp(np.random.default_rng(42).standard_normal(n))
    keys = np.random.default_rng(43).integers(0, 10_000, n)
    small, large = values.reshape(-1, SMALL), values.reshape(-1, LARGE)
    few, many = small[: n // 100], np.tile(large, (4, 1))
    return [
        ("build, one group", "values", 1e7, one_group(values)),
        ("build, 10 000 groups", "values", 1e7, many_groups(keys, values)),
        (f"merge {TOGETHER} sketches of {SMALL} values", "sketches", 2e5, merges(few)),
        (f"merge {TOGETHER} sketches of {spaced(LARGE)} values", "sketches", 2e4, merges(many)),
        (f"ask sketches of {SMALL} values for p99", "sketches", 3e5, questions(few)),
    ]


def one_group(values: Any) -> dict[str, Side]:
    """Build one sketch."""
    n = len(values)
    sides = {
        OURS: Side(lambda: Sketch.build(values, EPSILON).to_bytes(), n),
        OURS_DD: Side(lambda: DDSketch.build(values, ALPHA).to_bytes(), n),
    }
    if package("datasketches"):
        sides[KLL] = Side(lambda: kll(values).serialize(), n)
    if package("ddsketch"):
        few = values[: n // 50].tolist()
        sides[DD] = Side(lambda: dd(few), len(few))
    return sides


def many_groups(keys: Any, values: Any) -> dict[str, Side]:
    """Build a sketch of each group. The peers get the values of one group after the other, in a loop."""
    n = len(values)
    sides = {OURS: Side(lambda: arrow.build_by(keys, values, EPSILON), n)}

    def parts() -> list[Any]:
        order = np.argsort(keys, kind="stable")
        return np.split(values[order], np.cumsum(np.bincount(keys))[:-1])

    if package("datasketches"):
        sides[KLL] = Side(lambda: [kll(part).serialize() for part in parts()], n)
    if package("ddsketch"):
        few = [part.tolist() for part in parts()[:200]]
        sides[DD] = Side(lambda: [dd(part) for part in few], sum(map(len, few)))
    return sides


def merges(rows: Any) -> dict[str, Side]:
    """Merge stored sketches of each row, some at a time."""
    groups = np.arange(len(rows)) // TOGETHER
    owner = np.repeat(np.arange(len(rows)), rows.shape[1])
    ours = arrow.build_by(owner, rows.reshape(-1), EPSILON)["sketch"]
    sides = {OURS: Side(lambda: arrow.merge_by(groups, ours), len(rows))}
    if datasketches := package("datasketches"):
        stored = [kll(row).serialize() for row in rows]
        deserialize = datasketches.kll_doubles_sketch.deserialize

        def loop() -> None:
            for at in range(0, len(stored), TOGETHER):
                union = deserialize(stored[at])
                for data in stored[at + 1 : at + TOGETHER]:
                    union.merge(deserialize(data))
                union.serialize()

        sides[KLL] = Side(loop, len(rows))
    return sides


def questions(rows: Any) -> dict[str, Side]:
    """Ask stored sketches of each row for a quantile."""
    owner = np.repeat(np.arange(len(rows)), rows.shape[1])
    ours = arrow.build_by(owner, rows.reshape(-1), EPSILON)["sketch"]
    sides = {OURS: Side(lambda: arrow.quantile(ours, 0.99), len(rows))}
    if datasketches := package("datasketches"):
        stored = [kll(row).serialize() for row in rows]
        deserialize = datasketches.kll_doubles_sketch.deserialize
        sides[KLL] = Side(lambda: [deserialize(data).get_quantile(0.99) for data in stored], len(rows))
    return sides


def kll(values: Any) -> Any:
    """Build a KLL sketch."""
    sketch = package("datasketches").kll_doubles_sketch(KLL_K)
    sketch.update(values)
    return sketch


def dd(values: Sequence[float]) -> Any:
    """Build a sketch with the package ddsketch, value by value."""
    sketch = package("ddsketch").DDSketch(ALPHA)
    for value in values:
        sketch.add(value)
    return sketch


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    lines = [
        "# Sketches built and merged in Python",
        "",
        f"Lognormal doubles in memory; `{OURS}` with epsilon {EPSILON}, which always holds; `{KLL}` with k = {KLL_K}, whose stated rank error is about that with "
        f"99 % confidence; ddsketches with a relative error of {ALPHA}. Sketches to be merged or asked are stored ones. The peers are called in a loop of Python where there are several sketches. "
        "Items a second of CPU time, one thread: the median of the rounds, and the least and the greatest.",
        "",
        "| what | side | a second | chronosketch is times as fast | target |",
        "|---|---|---|---|---|",
    ]
    for figure in report["figures"]:
        times = {pair["peer"]: Spread(**pair["times_as_fast"]) for pair in figure["pairs"]}
        for side, rates in figure["a_second"].items():
            million = Spread.of([rate / 1e6 for rate in rates])
            target = f"≥ {number(figure['target'] / 1e6)} million" if side == OURS else ""
            lines.append(
                f"| {figure['name']} | {side} | {million} million {figure['unit']} | {times.get(side, '')} | {target} |"
            )
    machine = report["machine"]
    peers = ", ".join(f"{name} {report[name]}" for name in ("datasketches", "ddsketch") if name in report)
    return [
        *lines,
        "",
        f"- `{report['command']}`, {report['date']}, commit {report['commit']}",
        f"- chronosketch {report['chronosketch']}, Python {report['python']}, numpy {report['numpy']}, pyarrow {report['pyarrow']}; {peers}",
        f"- {machine['cpu']}, {machine['cores']} cores; load before: {report['load']}",
        "",
    ]


if __name__ == "__main__":
    main()
