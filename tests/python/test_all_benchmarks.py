"""`benchmarks/all.sh` updates every page of results."""

import json
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.classic

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
# measured on another machine, to show how the ratios differ
ELSEWHERE = {"spark_sliding_net"}


def test_every_page_that_a_benchmark_wrote_is_written_by_all_of_them():
    script = (BENCHMARKS / "all.sh").read_text("utf-8")
    runs = [line for line in script.splitlines() if line.startswith("run ")]
    pages = {
        file.stem: json.loads(file.read_text("utf-8")).get("command", "")
        for file in (BENCHMARKS / "results").glob("*.json")
    }
    named = {page: command for page, command in pages.items() if "--name" in command}
    assert len(named) > 4
    missing = []
    for page, command in pages.items():
        program = re.search(r"benchmarks/((?:papers/)?[a-z_]+\.py)", command)
        if program and page not in ELSEWHERE:
            wanted = f"--name {page}" if page in named else program[1]
            missing += [] if any(program[1] in run and wanted in run for run in runs) else [page]
    assert missing == []
