"""Compare the Python decoder with the JVM's on the same bytes. Run by hand, in slices.

    ./sbt "core/Test/runMain chronosketch.codec.HostileBytesCampaign 100000 0 20261124 target/cases.bin"
    python tests/campaigns/hostile_bytes.py target/cases.bin

The JVM's campaign changes stored sketches of all families. For each case it writes the bytes and the result: the error
condition, or the family and count. Python must agree. Accepted bytes must answer, merge and be stored again. The last
output line is a summary as JSON, for benchmarks/robustness.py.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "sketch"))
import hostile

LIMIT = 20
SHOWN = 20


def cases(file):
    """Yield the bytes of each case, and the JVM's result."""
    while size := file.read(4):
        data = file.read(int.from_bytes(size, "big"))
        said = file.read(int.from_bytes(file.read(4), "big"))
        yield data, said.decode()


def check(data, said):
    """Return the result for the bytes. Fail if the JVM's differs, or a sketch breaks."""
    sketch, refused = hostile.opened(data)
    ours = refused.condition if refused else f"{sketch.family} of {sketch.describe().count}"
    if ours != said:
        raise AssertionError(f"{ours}, where the JVM says {said}: {data.hex()}")
    if refused:
        return refused.condition
    hostile.ask_everything(sketch)
    return "accepted"


def hang(*_):
    """Abort a case that takes too long."""
    raise TimeoutError(f"no end after {LIMIT} s")


def main():
    """Check all cases of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--first", type=int, default=0, help="the number that the first case of the file has")
    parser.add_argument("--skip", type=int, default=0, help="how many cases of the file were checked before")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    signal.signal(signal.SIGALRM, hang)
    started = time.monotonic()
    outcomes, failures, n = Counter(), 0, 0
    with args.file.open("rb") as file:
        for i, (data, said) in enumerate(cases(file)):
            if i < args.skip:
                continue
            if time.monotonic() - started > args.seconds:
                break
            signal.alarm(LIMIT)
            try:
                outcomes[check(data, said)] += 1
            except Exception:
                failures += 1
                if failures <= SHOWN:
                    print(f"case {args.first + i}: {data.hex()[:400]}", file=sys.stderr)
                    traceback.print_exc(limit=-4)
            signal.alarm(0)
            n += 1
            if n % 10000 == 0:
                print(f"{n} cases in {time.monotonic() - started:.0f} s, {failures} failures", flush=True)
    found = {
        "campaign": "hostile bytes, Python beside the JVM",
        "first": args.first + args.skip,
        "cases": n,
        "failures": failures,
        "seconds": round(time.monotonic() - started),
        "outcomes": dict(sorted(outcomes.items())),
    }
    print(json.dumps(found))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
