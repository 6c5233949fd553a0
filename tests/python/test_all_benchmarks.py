"""`benchmarks/all.sh` and `more.sh` update every page of results, and a figure is on one page only."""

import importlib
import json
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.classic

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
RESULTS = BENCHMARKS / "results"
PROGRAM = re.compile(r"benchmarks/((?:papers/)?[a-z_]+\.py)")


def commands(script):
    lines = (BENCHMARKS / script).read_text("utf-8").splitlines()
    return [line.split("#")[0].removeprefix("run ").split() for line in lines if line.startswith("run ")]


def reports():
    return {file.stem: json.loads(file.read_text("utf-8")) for file in RESULTS.glob("*.json")}


def programs(report):
    """Return the programs that wrote a report, or its parts."""
    parts = report.get("parts", {}).values() if isinstance(report.get("parts"), dict) else ()
    texts = [report.get("command", ""), *(part.get("command", "") for part in parts)]
    return {found[1] for text in texts if (found := PROGRAM.search(text))}


def page_of(command):
    """Return the page that a command of all.sh writes, where several pages have one program."""
    program, *options = command
    if "--name" in options:
        return options[options.index("--name") + 1]
    suffixes = {"--beside-spark": "_beside_spark", "--structures": "_structures", "100000000": "_100m"}
    return Path(program).stem + "".join(suffix for option, suffix in suffixes.items() if option in options)


@pytest.fixture
def benchmark(monkeypatch):
    """Import a program of benchmarks/, and forget it and what it imports afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if name.split(".")[0] in ("harness", "summary", "spark_aggregate"):
            del sys.modules[name]


def test_the_scripts_write_every_page_that_a_benchmark_wrote():
    written = {page_of(command) for script in ("all.sh", "more.sh") for command in commands(script)}
    pages = {page for page, report in reports().items() if programs(report)}
    assert len(pages) > 30
    assert pages - written == set()


def test_no_two_commands_write_the_same_page():
    pages = [page_of(command) for script in ("all.sh", "more.sh") for command in commands(script)]
    assert [page for page, count in Counter(pages).items() if count > 1] == []


def test_all_sh_measures_every_page_that_has_a_ratio(benchmark):
    summary = benchmark("summary")
    found = [ratio for file in RESULTS.glob("*.json") for ratio in summary.read_ratios(file)]
    pages = {ratio.page for ratio in found if ratio.kind != summary.DETAIL}
    assert len(pages) > 10
    assert pages - {page_of(command) for command in commands("all.sh")} == set()


def test_a_figure_of_a_program_is_on_one_page():
    figures = Counter(
        (PROGRAM.search(report["command"])[1], figure["name"])
        for report in reports().values()
        for figure in report.get("figures", ())
        if "contestants" in figure
    )
    assert len(figures) > 50
    assert [figure for figure, count in figures.items() if count > 1] == []


def test_the_figures_of_aggregates_are_on_the_pages_that_keep_them(benchmark):
    figures = benchmark("harness.aggregates").aggregate_figures(benchmark("harness.datasets").Sizes(1000))
    keepers = {figure.name: figure.page or "spark_aggregate" for figure in figures}
    stored = {
        figure["name"]: page
        for page, report in reports().items()
        if "benchmarks/spark_aggregate.py" in report.get("command", "")
        for figure in report["figures"]
    }
    assert stored == keepers


def test_a_pair_is_listed_by_its_kind(benchmark):
    summary = benchmark("summary")
    spread = summary.Spread(0.5, 0.5, 0.5)
    kinds = {summary.CHOICE: "chosen", summary.SCALE: "less", summary.DETAIL: "hidden"}
    page = summary.page(
        [summary.Ratio("p", "f", "ours", peer, spread, None, kind) for kind, peer in kinds.items()]
    )
    assert page.count("`chosen`") == 2
    assert page.count("`less`") == 1
    assert "hidden" not in page
    assert "slower side in 1 of 1 pairs" in page
    assert "slower side in 1 of 1." in page
    assert "[p](p.md) (1)" in page


def test_structures_chosen_by_name_are_not_counted(benchmark):
    summary = benchmark("summary")
    named = [
        ratio
        for page in ("spark_sliding", "spark_hopping_structures")
        for ratio in summary.read_ratios(RESULTS / f"{page}.json")
        if re.search("arasu_manku|cmqs|bernoulli|priority|expiration_list|histogram", ratio.ours + ratio.peer)
    ]
    assert len(named) > 30
    assert {ratio.kind for ratio in named} == {summary.DETAIL}


def test_the_page_of_ratios_is_as_its_program_writes_it(benchmark):
    summary = benchmark("summary")
    found = [ratio for file in sorted(RESULTS.glob("*.json")) for ratio in summary.read_ratios(file)]
    assert (RESULTS / "README.md").read_text("utf-8") == summary.page(found)
