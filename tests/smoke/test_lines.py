"""The jar, compiled for one Spark line, on the oldest and the newest of 4.x."""

import pytest


@pytest.mark.parametrize("mode", ["classic", "attach", "connect"])
def test_every_function_works(line_python, submit_options, run_script, mode):
    said = run_script(line_python, submit_options, "every_function.py", mode)
    line = line_python.parents[1].name.removeprefix("smoke-")
    assert said.startswith(f"Spark {line}: ")
