"""The jar, compiled for one Spark line, on the oldest and the newest of 4.x."""

import os

import pytest

# Each line's classic session, and one of the other starts in its turn; all of them with more cases.
TURNS = {"attach": "4.3", "connect": "4.0"}


@pytest.mark.parametrize("mode", ["classic", *TURNS])
def test_every_function_works(line_python, submit_options, run_script, mode):
    line = line_python.parents[1].name.removeprefix("smoke-")
    if int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1 and not line.startswith(TURNS.get(mode, line)):
        pytest.skip(f"{mode} on {line}: asked where CHRONOSKETCH_CASES is more than 1")
    said = run_script(line_python, submit_options, "every_function.py", mode)
    assert said.startswith(f"Spark {line}: ")
