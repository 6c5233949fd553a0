"""Python's functions, without the jar, work on Spark 3.5 and on the lines of Spark 4."""

import os

import pytest
from environments import environment, options_of

# All other tests of this part run on 4.2. With one case, Connect runs on the lines that differ most.
LINES = ("3.5.7", "4.0.5", "4.1.4", "4.3.0")
CONNECT = ("3.5.7", "4.1.4")


@pytest.mark.parametrize("mode", ["classic", "connect"])
@pytest.mark.parametrize("line", LINES)
def test_the_functions_work_without_the_jar(line, mode, run_script, tmp_path):
    if mode == "connect" and line not in CONNECT and int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1:
        pytest.skip(f"Connect on {line}: asked where CHRONOSKETCH_CASES is more than 1")
    python = environment(line, tmp_path)
    message = run_script(python, options_of(python), "portable.py", mode)
    assert f"Spark {line}: " in message
