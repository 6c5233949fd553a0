"""The jar, compiled for one Spark line, on the oldest and the newest of 4.x."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize("mode", ["classic", "attach", "connect"])
def test_every_function_works(line_python, submit_options, package, tmp_path, mode):
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": submit_options,
    }
    done = subprocess.run(
        [str(line_python), str(Path(__file__).with_name("every_function.py")), mode],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    line = line_python.parents[1].name.removeprefix("smoke-")
    assert done.stdout.startswith(f"Spark {line}: ")
