"""Search with Jazzer for bytes that break the JVM's decoder, guided by coverage. Run by hand.

    python tests/campaigns/fuzz_decoder.py --seconds 3600 --jars FOLDER

It starts from the golden files and its earlier findings in target/jazzer. Failing inputs are files there whose names
begin with crash, timeout or oom. FOLDER must have two jars of com.code-intelligence from Maven Central: jazzer and
jazzer-api. The last output line is a summary as JSON, for benchmarks/robustness.py.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDER = TOP / "target" / "jazzer"
VERSION = "0.30.0"
STATUS = re.compile(r"^#(\d+)\s+\S+.*?cov: (\d+) ft: (\d+) corp: (\d+)/")

#: Coverage is measured in these classes, not in the fuzzer's own.
LOOKING = [f"chronosketch.codec.{name}**" for name in ("HostileBytes", "Golden", "Stored", "DecoderFuzzer")]


def jars(folder):
    """Return Jazzer's jars."""
    found = [folder / f"{name}-{VERSION}.jar" for name in ("jazzer", "jazzer-api")]
    missing = [jar.name for jar in found if not jar.exists()]
    if missing:
        sys.exit(f"{folder} has no {' and no '.join(missing)}: fetch com.code-intelligence:jazzer:{VERSION}")
    return [str(jar) for jar in found]


def class_path():
    """Return the class path of core's tests."""
    done = subprocess.run(
        [TOP / "sbt", "core/Test/compile", "export core/Test/fullClasspath"],
        cwd=TOP, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip().splitlines()[-1]


def seeds():
    """Return a folder with the golden sketches, without their texts."""
    folder = FOLDER / "golden"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in (TOP / "tests" / "golden" / "v1").glob("*.bin"):
        shutil.copy(file, folder)
    return folder


def main():
    """Fuzz for some time, and print a summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--jars", type=Path, required=True, help="the folder of Jazzer's jars")
    parser.add_argument("--class-path", help="of the compiled tests of core; sbt says it otherwise")
    args = parser.parse_args()
    corpus = FOLDER / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    command = [
        "java", "-Xmx1500m", "-XX:+UseSerialGC", "-cp", ":".join([*jars(args.jars), args.class_path or class_path()]),
        "com.code_intelligence.jazzer.Jazzer", "--target_class=chronosketch.codec.DecoderFuzzer",
        "--instrumentation_includes=chronosketch.**", f"--instrumentation_excludes={':'.join(LOOKING)}",
        "--keep_going=50", f"--reproducer_path={FOLDER}", f"-artifact_prefix={FOLDER}/",
        f"-max_total_time={args.seconds}", "-timeout=20", "-max_len=8192", "-rss_limit_mb=0",
        str(corpus), str(seeds()),
    ]  # fmt: skip
    last = None
    findings = 0
    started = time.monotonic()
    fuzzer = subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in fuzzer.stdout:
        findings += line.startswith("== Java Exception")
        last = STATUS.match(line) or last
        if not line.startswith("INFO: Instrumented"):
            print(line, end="", flush=True)
    if last is None:
        sys.exit("Jazzer did not start: see above")
    executions, covered, features, kept = map(int, last.groups())
    found = {
        "campaign": "fuzzing guided by coverage",
        "jazzer": VERSION,
        "cases": executions,
        "failures": findings,
        "seconds": round(time.monotonic() - started),
        "edges reached": covered,
        "features reached": features,
        "inputs kept": kept,
    }
    print(json.dumps(found))
    sys.exit(1 if findings or fuzzer.wait() else 0)


if __name__ == "__main__":
    main()
