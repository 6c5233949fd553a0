"""Collects all ratios of the stored results on one page, and shows where ours is slower.

    python benchmarks/summary.py

It measures nothing. It reads ``benchmarks/results/*.json`` and writes ``benchmarks/results/README.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS
from harness.spread import Spread, number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = RESULTS / "README.md"


@dataclass(frozen=True)
class Ratio:
    """A ratio: how many times as fast ours is."""

    page: str
    figure: str
    ours: str
    peer: str
    times: Spread
    target: float | None

    @property
    def cells(self) -> list[str]:
        """Return the cells of a table row."""
        target = "" if self.target is None else f"≥ {number(self.target)}"
        return [
            f"[{self.figure}]({self.page}.md)",
            _code(self.ours),
            _code(self.peer),
            str(self.times),
            target,
        ]


def main() -> None:
    """Read the results, write the page, and print its path."""
    found = [ratio for file in sorted(RESULTS.glob("*.json")) for ratio in read_ratios(file)]
    PAGE.write_text(page(found), encoding="utf-8")
    print(PAGE)


def read_ratios(file: Path) -> Iterator[Ratio]:
    """Read the ratios of one file of results; none if it has figures of another kind."""
    report = json.loads(file.read_text("utf-8"))
    for figure in report.get("figures", ()):
        for pair in figure.get("pairs", ()):
            # the comparison of Spark's max with another engine's is not a ratio of ours
            if pair.get("times_as_fast") and pair["ours"] != "max(v)":
                title = figure.get("title") or figure["name"]
                spread = Spread(**pair["times_as_fast"])
                yield Ratio(file.stem, title, pair["ours"], pair["peer"], spread, pair.get("target"))
    for line in report.get("speed", ()):
        title = f"{line['benchmark'].removesuffix('Benchmark.insert')} {line['parameter']}".strip()
        spread = Spread(**line["times as fast"])
        yield Ratio(file.stem, f"core: {title}", line["ours"], line["theirs"], spread, line.get("target"))


def page(ratios: list[Ratio]) -> str:
    """Write the page."""
    slower = sorted((r for r in ratios if r.times.median < 1), key=lambda r: r.times.median)
    lines = [
        "# All ratios",
        "",
        "Each line is one pair that ran in turns, in one run: *times as fast* is the time of the other side by ours, with the least "
        "and the greatest of the rounds. Above 1 ours is faster. Commands, versions and machines are on the page of each figure; "
        "pages were measured at different times. `bash benchmarks/all.sh` measures all of them again.",
        "",
        f"Ours is the slower side in {len(slower)} of {len(ratios)} pairs.",
        "",
        "## Where ours is slower",
        "",
        *table(slower),
        "",
        "## All",
        "",
        *table(ratios),
        "",
    ]
    return "\n".join(lines)


def table(ratios: list[Ratio]) -> list[str]:
    """Write one table."""
    rows = [f"| {' | '.join(ratio.cells)} |" for ratio in ratios]
    return ["| figure | ours | beside | times as fast | target |", "|---|---|---|---|---|", *rows]


def _code(name: Any) -> str:
    return f"`{name}`"


if __name__ == "__main__":
    main()
