"""Run the JVM that measures: start it, read its output, and report its failures."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from chronosketch.advisor.calibration.measurements import read_line
from chronosketch.errors import ChronosketchError
from chronosketch.installed import pip_install
from chronosketch.jar import jar_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROGRAM = "chronosketch.advisor.Calibration"
GRIDS = ("small", "default", "large")
_NO_JAVA = (
    "Calibration needs Java: install a JDK 17 or newer, then put its java on PATH or set JAVA_HOME to its "
    "folder."
)


def java() -> str:
    """Find the java command: that of JAVA_HOME, else the one on PATH.

    Raises
    ------
    ChronosketchError
        If there is no java.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home!r}, which has no bin/java. " if home else ""
        raise ChronosketchError(where + _NO_JAVA)
    return found


def class_path() -> str:
    """Return our jar, and those of pyspark.

    Raises
    ------
    ChronosketchError
        If pyspark or the jar is not installed.
    """
    spec = find_spec("pyspark")
    folders = list(spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise ChronosketchError(f"pyspark is not installed: {pip_install('spark', 'pyspark')}")
    return os.pathsep.join([str(jar_path()), str(Path(folders[0]) / "jars" / "*")])


def command(grid: str, seconds: int | None, seed: int) -> list[str]:
    """Return the command that measures."""
    # Send the JVM's own messages to standard error, so that standard output has only measurements.
    flags = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+DisplayVMOutputToStderr"]
    limit = [] if seconds is None else ["--seconds", str(seconds)]
    return [java(), *flags, "-cp", class_path(), PROGRAM, "--grid", grid, *limit, "--seed", str(seed)]


def measure(program: list[str], file: Path, progress: Callable[[int, int, str], None]) -> None:
    """Run the measuring program, and store its output line by line, even if it fails later.

    Parameters
    ----------
    program : list of str
        The command.
    file : Path
        The file to write measurements to.
    progress : callable
        Called with the number of cells done, the number of all cells, and the name of the next one.

    Raises
    ------
    ChronosketchError
        If the program fails, or prints something that is not a measurement.
    """
    with tempfile.TemporaryFile() as stderr, file.open("w", encoding="utf-8") as output:
        with _running(program, stderr) as process:
            if process.stdout is None:
                return
            for number, line in enumerate(process.stdout, 1):
                if not line.lstrip().startswith("{"):
                    continue
                content = read_line(line, f"Line {number} of the calibrating JVM")
                if content["kind"] == "progress":
                    progress(
                        _count(content.get("done")), _count(content.get("of")), str(content.get("cell", ""))
                    )
                else:
                    output.write(line)
                    output.flush()
        if process.returncode != 0:
            stderr.seek(0)
            reason = _reason(stderr.read().decode(errors="replace"), process.returncode)
            raise ChronosketchError(
                f"The calibrating JVM ended early: {reason}. What it measured is in {file}; "
                f"`chronosketch calibrate --from {file}` fits it."
            )


@contextmanager
def _running(program: list[str], stderr: object) -> Iterator[subprocess.Popen[str]]:
    """Run a program, and stop it when the context ends."""
    try:
        process = subprocess.Popen(  # type: ignore[call-overload]
            program,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        )
    except OSError as reason:
        raise ChronosketchError(f"{program[0]} cannot be run ({reason.strerror}). {_NO_JAVA}") from None
    try:
        yield process
        process.wait()
    finally:
        if process.poll() is None:
            # Asked to end, a JVM waits for its compiler first. This one leaves no files.
            process.kill()
            process.wait()
        process.stdout.close()


def _reason(stderr: str, code: int) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if any("UnsupportedClassVersionError" in line for line in lines):
        return "this Java is too old, install a JDK 17 or newer and set JAVA_HOME to it"
    telling = [line for line in lines if "Exception" in line or "Error" in line] or lines[-1:]
    return telling[0].rstrip(".") if telling else f"it gave no reason, and exit code {code}"


def _count(value: object) -> int:
    return int(value) if isinstance(value, (int, float)) else 0
