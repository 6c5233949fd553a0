"""A few random queries of the campaign, the same in each run, compared with sorting."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).resolve().parents[1] / "campaigns" / "queries.py"


@pytest.mark.classic
def test_random_queries_are_answered_as_sorting_answers_them(tmp_path):
    # a separate process, because a query also draws the settings of its session
    command = [sys.executable, str(CAMPAIGN), str(tmp_path), "--seed", "20261125", "--queries", "60"]
    run = subprocess.run([*command, "--seconds", "300"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    tally = json.loads((tmp_path / "tally.json").read_text())
    assert tally["failures"] == 0, (tmp_path / "failures.sql").read_text()
    assert (tally["queries"], tally["refused"]) == (60, 0)
    assert tally["answers"] > 600
