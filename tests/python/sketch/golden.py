"""Read the golden files, and write a sketch's answers in the format of their texts."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import lines_of_moments
import lines_of_qlove
from chronosketch.sketch import DDSketch
from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.families import by_number
from chronosketch.sketch.history.sketch import History
from chronosketch.sketch.rank import Phi
from chronosketch.sketch.sample.sampled import Sampled
from chronosketch.sketch.summed import SummedSketch

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "v1"
FAMILY_AT = 9
PHIS = [Decimal(text) for text in ("0", "0.001", "0.07", "0.25", "0.5", "0.75", "0.9", "0.99", "0.999", "1")]


def stored():
    """Return the files of families that Python supports, by name."""
    files = {path.stem: path.read_bytes() for path in sorted(FOLDER.glob("*.bin"))}
    return {name: data for name, data in files.items() if by_number(data[FAMILY_AT]) is not None}


def text_of(name):
    return [plain(line) for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()]


def plain(line):
    """Rewrite a line with the shortest text of each double, as JVMs before 19 write longer ones."""
    if line.startswith("exact sum"):
        return line
    line = re.sub(r"Answer\([^,]*,[1-3]\)", "None", line)
    return re.sub(r"-?\d+\.\d+(E-?\d+)?", lambda number: doubles.text(float(number[0])), line)


def answers(sketch):
    """Return the lines that the JVM wrote for the same sketch."""
    return [
        f"family {sketch.family}",
        f"type {sketch.value_type}",
        f"parameters {' '.join(map(doubles.text, sketch.header.numbers))}",
        f"count {sketch.describe().count}",
        *of_family(sketch),
    ]


def of_family(sketch):
    if isinstance(sketch, SummedSketch):
        return [*of_family(sketch.quantiles), *of_family(sketch.moments)]
    for kind, lines in LINES.items():
        if isinstance(sketch, kind):
            return list(lines(sketch))
    if isinstance(sketch, Ranked):
        return list(ranked(sketch)) if not sketch.profile.is_empty else []
    if isinstance(sketch, DDSketch):
        return list(of_bins(sketch)) if sketch.count > 0 else []
    if isinstance(sketch, History):
        return list(of_versions(sketch)) if sketch.trees else []
    raise AssertionError(f"{sketch.family}: the lines of its golden files are not known here")


#: For each family with lines of its own, the function that writes them.
LINES = {**lines_of_moments.LINES, **lines_of_qlove.LINES, Sampled: lambda sketch: sampled(sketch)}


def ranked(sketch):
    profile = sketch.profile
    yield f"keys {len(profile.keys)}"
    yield f"minimum {profile.keys[0]}"
    yield f"maximum {profile.keys[-1]}"
    yield f"certified error {profile.certified_error}"
    # a sample without values has no estimates
    estimates = profile if sketch._estimates.is_empty else sketch._estimates
    yield from quantiles(profile, estimates.quantile)
    for i in range(0, len(profile.keys), max(1, len(profile.keys) // 10)):
        low, high = profile.rank_bounds(i)
        yield f"rank of {profile.keys[i]} from {low} to {high}"


def sampled(sketch):
    if sketch._estimates.is_empty:
        if not sketch.profile.is_empty:
            yield from ranked(sketch)
        return
    yield f"values {' '.join(map(str, sketch.sample_keys))}"
    yield f"confidence {doubles.text(sketch.confidence)}"
    yield f"rank error {doubles.text(sketch.rank_error)}"
    yield from quantiles(sketch.profile, sketch._estimates.quantile)


def of_versions(history):
    first, last = history.ends()
    yield f"versions {history.version_domain.sql} from {first} to {last}"
    yield f"trees {history.trees}"
    yield f"clamped {history.clamped}"
    for version in dict.fromkeys((first, first + (last - first) // 3, first + (last - first) // 2, last)):
        yield f"version {version}"
        yield from answers(history.at(version))[3:]


def of_bins(sketch):
    profile = sketch.profile
    yield f"bins {sketch.bins}"
    yield f"minimum {profile.keys[0]}"
    yield f"maximum {profile.keys[-1]}"

    def answer(phi):
        estimate = sketch.estimate(phi)
        return f"{estimate.key}, {doubles.text(estimate.value)}"

    yield from quantiles(profile, answer)


def quantiles(profile, answer):
    for share in PHIS:
        low, high = profile.quantile_bounds(Phi(share))
        yield f"quantile {share} {answer(Phi(share))} from {low} to {high}"
