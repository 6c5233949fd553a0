"""Collects the ratios of the stored results on one page, and shows where ours is slower.

    python benchmarks/summary.py

It measures nothing. It reads ``benchmarks/results/*.json`` and writes ``benchmarks/results/README.md``. A pair is listed by its
kind, which stands where the pair is defined: see ``harness/figures.py``.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.aggregates import aggregate_figures
from harness.datasets import Sizes
from harness.figures import CHOICE, DETAIL, SCALE
from harness.hopping import structure_figures
from harness.results import RESULTS
from harness.sliding import SlidingSizes, sliding_figures
from harness.spread import Spread, number
from harness.windows import WindowSizes, window_figures

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
    kind: str

    @property
    def is_slower(self) -> bool:
        """Whether ours is the slower side."""
        return self.times.median < 1

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
    kinds = defined_kinds(report.get("rows", 1))
    for figure in report.get("figures", ()):
        for pair in figure.get("pairs", ()):
            if pair.get("times_as_fast"):
                title = figure.get("title") or figure["name"]
                ours, peer, spread = pair["ours"], pair["peer"], Spread(**pair["times_as_fast"])
                kind = pair.get("kind") or kinds.get((figure["name"], ours, peer), CHOICE)
                yield Ratio(file.stem, title, ours, peer, spread, pair.get("target"), kind)
    for line in report.get("speed", ()):
        title = f"{line['benchmark'].removesuffix('Benchmark.insert')} {line['parameter']}".strip()
        spread = Spread(**line["times as fast"])
        target = line.get("target")
        yield Ratio(file.stem, f"core: {title}", line["ours"], line["theirs"], spread, target, CHOICE)


def defined_kinds(rows: int) -> dict[tuple[str, str, str], str]:
    """Return the kinds of pairs as they are defined now, for results that were stored without them."""
    defined = [
        *aggregate_figures(Sizes(rows)),
        *sliding_figures(SlidingSizes(rows)),
        *window_figures(WindowSizes(rows)),
        *structure_figures(rows),
    ]
    return {(figure.name, pair.ours, pair.peer): pair.kind for figure in defined for pair in figure.pairs}


def page(found: list[Ratio]) -> str:
    """Write the page."""
    ratios, scale = ([ratio for ratio in found if ratio.kind == kind] for kind in (CHOICE, SCALE))
    slower = sorted((r for r in ratios if r.is_slower), key=lambda r: r.times.median)
    slower_than_less = sum(ratio.is_slower for ratio in scale)
    details = Counter(ratio.page for ratio in found if ratio.kind == DETAIL)
    lines = [
        "# All ratios",
        "",
        "Each line is one pair that ran in turns, in one run: *times as fast* is the time of the other side by ours, with the least "
        "and the greatest of the rounds. Above 1 ours is faster. Commands, versions and machines are on the page of each figure; "
        "pages were measured at different times. `bash benchmarks/all.sh` measures all of them again.",
        "",
        f"Ours is the slower side in {len(slower)} of {len(ratios)} pairs that a user would choose between. Beside queries that answer "
        f"less, such as `max`, it is the slower side in {slower_than_less} of {len(scale)}.",
        "",
        "## Where ours is slower",
        "",
        *table(slower),
        "",
        "## All",
        "",
        *table(ratios),
        "",
        "## Beside queries that answer less",
        "",
        "They show what reading and moving the same rows takes, or what a larger answer costs. Nobody would choose them instead.",
        "",
        *table(scale),
        "",
        "## On their own pages",
        "",
        "Pairs that nobody has to choose between are not counted above: structures chosen by name, our functions with our operator "
        "switched off, a window without its scan, and pairs that a larger figure has. Their pages: "
        + ", ".join(f"[{name}]({name}.md) ({count})" for name, count in sorted(details.items()))
        + ".",
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
