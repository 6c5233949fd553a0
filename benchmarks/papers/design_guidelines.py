"""Checks each guideline of the thesis against current measurements: confirmed or refuted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RATE = 320
EXACT_VARIANCE = ("expiration_list", "two_stack", "panes")


@dataclass(frozen=True)
class Verdict:
    """A guideline of the thesis with its section, the measurement, and whether they agree.

    `holds` is None if it was not measured, and a text if there is no single answer.
    """

    says: str
    section: str
    found: str
    holds: bool | str | None


class _Rows:
    """Finds measurements by workload."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = [row for row in rows if row["rate"] == RATE]

    def of(self, aggregate: str, r: int, s: int, approach: str, epsilon: float = 0.0) -> dict[str, Any]:
        wanted = (aggregate, r, s, approach, epsilon)
        return next(
            row
            for row in self._rows
            if (row["aggregate"], row["retention"], row["slide"], row["approach"], row["epsilon"]) == wanted
        )

    def worst(self, approach: str, aggregate: str) -> float:
        """Return the largest error, relative to the allowed one."""
        return max(
            row["error"] / row["epsilon"]
            for row in self._rows
            if row["approach"] == approach and row["aggregate"] == aggregate and row["error"] is not None
        )


def verdicts(rows: list[dict[str, Any]]) -> list[Verdict]:
    """Check every guideline against the measurements of Tables 5.3 and 5.4 at 320 rows per second."""
    m = _Rows(rows)
    return [*_of_aggregates(m), *_of_synopses(m), *_of_practice(m)]


def _times(a: float, b: float) -> str:
    return f"{a / b:.3g} ×"


def _of_both(variance: bool, quantiles: bool) -> bool | str:
    """Judge a guideline about both aggregates."""
    if variance == quantiles:
        return variance
    kept, lost = ("variance", "quantiles") if variance else ("quantiles", "variance")
    return f"confirmed for {kept}, refuted for {lost}"


def _of_aggregates(m: _Rows) -> list[Verdict]:
    short, long = (m.of("variance", r, 1, "expiration_list") for r in (1, 60))
    sort_short, sort_long = (m.of("quantile", r, 1, "expiration_list") for r in (1, 60))
    stacks = [m.of("variance", r, 1, "two_stack") for r in (1, 60)]
    panes = m.of("variance", 60, 1, "panes")
    return [
        Verdict(
            "Recomputing takes time and memory that grow at least with R.",
            "3",
            f"60 times the rows: {_times(long['query'], short['query'])} the time of an answer and "
            f"{_times(long['bytes'], short['bytes'])} the bytes for variance, "
            f"{_times(sort_long['query'], sort_short['query'])} and {_times(sort_long['bytes'], sort_short['bytes'])} for quantiles",
            long["query"] > 30 * short["query"] and long["bytes"] > 30 * short["bytes"],
        ),
        Verdict(
            "Exact answers with a slide of one element keep at least R.",
            "3",
            f"two stacks keep {stacks[1]['bytes'] / (60 * 60 * RATE):.3g} bytes a row at 60 minutes; a variance histogram at ε = 0.05 keeps "
            f"{m.of('variance', 60, 1, 'variance_histogram', 0.05)['bytes'] / (60 * 60 * RATE):.2g}",
            stacks[1]["bytes"] > 8 * 60 * 60 * RATE,
        ),
        Verdict(
            "Boundedness saves memory, differentiability time, where batches are not single elements.",
            "3",
            f"60 by 1 minutes: panes keep {_times(panes['bytes'], long['bytes'])} the bytes of the list and take "
            f"{_times(panes['ns'], long['ns'])} its time",
            panes["bytes"] < long["bytes"] and panes["ns"] < long["ns"],
        ),
        Verdict(
            "Aggregates that duplicates change need a filter of duplicates.",
            "3",
            "nothing here filters duplicates: each row counts once",
            None,
        ),
        Verdict(
            "Aggregates that are not robust suffer more from sampling.",
            "3",
            "samples are not offered for sums and variances: no size is known that keeps a promise of these",
            None,
        ),
    ]


def _of_synopses(m: _Rows) -> list[Verdict]:
    panes, listed = (m.of("variance", 60, 30, one) for one in ("panes", "expiration_list"))
    sampled = {one: m.worst(one, "quantile") for one in ("bernoulli", "priority", "bounded_priority")}
    biased = m.worst("biased_reservoir", "quantile")
    histogram = m.worst("variance_histogram", "variance")
    summaries = {one: m.worst(one, "quantile") for one in ("arasu_manku", "arasu_manku_variable", "cmqs")}
    return [
        Verdict(
            "A synopsis needs a notion of retention, and elements that leave by themselves.",
            "4",
            "a definition: each structure here has one",
            None,
        ),
        Verdict(
            "Panes and the expiration list are exact.",
            "4",
            f"largest relative errors {m.of('variance', 60, 1, 'panes')['error']:.1g} and "
            f"{m.of('variance', 60, 1, 'expiration_list')['error']:.1g}: rounding",
            m.of("variance", 60, 1, "panes")["error"] < 1e-9,
        ),
        Verdict(
            "Panes take much less memory than the list where batches are large.",
            "4",
            f"60 by 30 minutes: {panes['bytes']:.0f} bytes beside {listed['bytes'] / 1e6:.3g} MB",
            panes["bytes"] < listed["bytes"] / 100,
        ),
        Verdict(
            "A sample of ε⁻²·log(1/(εδ)) rows answers quantiles within ε with probability 1 − δ.",
            "4",
            "largest errors as a share of ε: " + ", ".join(f"{n} {e:.2g}" for n, e in sampled.items()),
            all(share <= 1 for share in sampled.values()),
        ),
        Verdict(
            "Biased reservoir sampling approximates windows.",
            "4",
            f"its largest error is {biased:.3g} times ε, of values that do not drift. Newer rows are likelier in it than older ones: it is "
            "no sample of the window, so quantiles OVER decline it",
            biased <= 1,
        ),
        Verdict(
            "Variance histograms approximate variance over a window of fixed size.",
            "4",
            f"largest error {histogram:.2g} times ε; window_moments_agg does it for windows of any size, too",
            histogram <= 1,
        ),
        Verdict(
            "Quantile summaries approximate quantiles over windows of fixed and variable size.",
            "4",
            "largest errors as a share of ε: " + ", ".join(f"{n} {e:.2g}" for n, e in summaries.items()),
            all(share <= 1 for share in summaries.values()),
        ),
    ]


def _of_practice(m: _Rows) -> list[Verdict]:
    listed = {s: m.of("variance", 60, s, "expiration_list") for s in (1, 30)}
    stacks = {s: m.of("variance", 60, s, "two_stack") for s in (1, 30)}
    panes = {s: m.of("variance", 60, s, "panes") for s in (1, 30)}
    fastest = min((m.of("variance", 60, 1, one) for one in EXACT_VARIANCE), key=lambda row: row["ns"])
    quantiles = {
        one: m.of("quantile", 60, 1, one, 0.01)
        for one in ("biased_reservoir", "arasu_manku", "bernoulli", "priority", "cmqs")
    }
    sort = {s: m.of("quantile", 60, s, "expiration_list") for s in (1, 30)}
    histograms = {r: m.of("variance", r, 1, "variance_histogram", 0.05) for r in (1, 60)}
    short = m.of("variance", 1, 1, "expiration_list")
    manku = {s: m.of("quantile", 60, s, "arasu_manku", 0.01) for s in (1, 30)}
    return [
        Verdict(
            "Updating a bounded, differential aggregate beats recomputing where the slide is small.",
            "6",
            f"two stacks beside the list: {_times(stacks[1]['ns'], listed[1]['ns'])} the time at S = 1 of 60 minutes, "
            f"{_times(stacks[30]['ns'], listed[30]['ns'])} at S = 30",
            stacks[1]["ns"] < listed[1]["ns"],
        ),
        Verdict(
            "Panes are the best in time and memory for exact bounded aggregates, if they are few.",
            "6",
            f"60 by 1 minutes: the fastest is {fastest['approach']}; panes take {_times(panes[1]['ns'], stacks[1]['ns'])} the time of two "
            f"stacks, and {_times(panes[1]['bytes'], stacks[1]['bytes'])} the bytes",
            fastest["approach"] == "panes",
        ),
        Verdict(
            "Biased reservoir sampling is accurate at little time and memory.",
            "6",
            f"60 by 1 minutes at ε = 0.01: {quantiles['biased_reservoir']['ns'] / 1e6:.3g} ms and "
            f"{quantiles['biased_reservoir']['bytes'] / 1e6:.3g} MB, an error of {quantiles['biased_reservoir']['error']:.2g}; CMQS "
            f"{quantiles['cmqs']['ns'] / 1e6:.3g} ms and {quantiles['cmqs']['bytes'] / 1e6:.3g} MB, {quantiles['cmqs']['error']:.2g}",
            quantiles["biased_reservoir"]["error"] <= 0.01,
        ),
        Verdict(
            "Variance histograms save memory where the slide is small and the retention very large.",
            "6",
            f"ε = 0.05: {_times(histograms[1]['bytes'], short['bytes'])} the bytes of the list at 1 minute, "
            f"{_times(histograms[60]['bytes'], listed[1]['bytes'])} at 60",
            histograms[60]["bytes"] < listed[1]["bytes"]
            and histograms[1]["bytes"] > histograms[60]["bytes"] / 60,
        ),
        Verdict(
            "Arasu–Manku sketches save about as much memory as biased reservoirs.",
            "6",
            f"60 by 1 minutes at ε = 0.01: {quantiles['arasu_manku']['bytes'] / 1e6:.3g} MB beside "
            f"{quantiles['biased_reservoir']['bytes'] / 1e6:.3g} MB, and {sort[1]['bytes'] / 1e6:.3g} MB of the list",
            quantiles["arasu_manku"]["bytes"] < 3 * quantiles["biased_reservoir"]["bytes"],
        ),
        Verdict(
            "With a slide that is large beside the window, recomputing wins in time or memory.",
            "6, 8",
            f"60 by 30 minutes: the list takes {_times(listed[30]['ns'], panes[30]['ns'])} the time of panes for variance, "
            f"{_times(sort[30]['ns'], manku[30]['ns'])} that of Arasu–Manku for quantiles; at S = 1 "
            f"{_times(listed[1]['ns'], panes[1]['ns'])} and {_times(sort[1]['ns'], manku[1]['ns'])}",
            _of_both(listed[30]["ns"] < panes[30]["ns"], sort[30]["ns"] < manku[30]["ns"]),
        ),
    ]


def page(rows: list[dict[str, Any]]) -> list[str]:
    """Write the page."""
    words = {True: "confirmed", False: "refuted", None: "not measured"}
    return [
        "## Guidelines of the thesis, today",
        "",
        f"By the measurements below, at {RATE} rows a second.",
        "",
        "| guideline | chapter | measured here | verdict |",
        "|---|---|---|---|",
        *(
            f"| {v.says} | {v.section} | {v.found} | {v.holds if isinstance(v.holds, str) else words[v.holds]} |"
            for v in verdicts(rows)
        ),
        "",
    ]
