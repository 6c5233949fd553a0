"""The jar, compiled for one Spark version, works on the oldest and the newest 4.x."""

import os

import pytest

# Each version runs a classic session and one other way to start; with more cases, all of them.
TURNS = {"attach": "4.3", "connect": "4.0"}


@pytest.mark.parametrize("mode", ["classic", *TURNS])
def test_every_function_works(line_python, submit_options, run_script, mode):
    line = line_python.parents[1].name.removeprefix("smoke-")
    if int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1 and not line.startswith(TURNS.get(mode, line)):
        pytest.skip(f"{mode} on {line}: asked where CHRONOSKETCH_CASES is more than 1")
    message = run_script(line_python, submit_options, "every_function.py", mode)
    assert message.startswith(f"Spark {line}: ")
