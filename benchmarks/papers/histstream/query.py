"""Measures a query as history grows, compared with peers that read the same files (the paper's figures 9, 12)."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import chronosketch as cs
from harness.rounds import log_progress
from harness.spread import Spread, spaced

from histstream.data import timed
from histstream.query_peers import EPSILON, FETCHED, SPLITS, PeerInput, Peers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    Line = dict[str, Any]

# Different φs, so that each round reads other parts of the files, which the disk cache may not have.
PHIS = (0.5, 0.9, 0.99, 0.001, 0.25, 0.75, 0.1, 0.999)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Double a history until it has all rows, and query it at each size."""
    lines: list[Line] = []
    warehouse = cs.warehouse.create(spark, f"{folder}/warehouse", value="v", epsilon=0.001)
    first = min(options.first, options.rows)
    peers, sketches = Peers(spark, options), f"{folder}/sketches"
    rows, appended, sketched = 0, 0.0, 0.0
    for step in range(max(1, options.rows // first)):
        made = spark.range(rows, rows + first, 1, 2).selectExpr("xxhash64(id) AS v")
        appended += timed(lambda made=made: warehouse.append(made))
        sketched += peers.keep_sketch(made, sketches)
        rows += first
        log_progress(f"{rows} rows: appended in {appended:.1f} s, sketched in {sketched:.1f} s")
        warehouse.vacuum("1 microsecond")
        # at powers of two
        if (step + 1) & step == 0:
            lines.append(_ours(warehouse, rows, options))
            lines[-1] |= {"appended": appended, "sketched": sketched}
            log_progress(str(lines[-1]))
            lines[-1]["peers"] = _peers(spark, warehouse, peers, rows, sketches)
    shutil.rmtree(f"{folder}/warehouse")
    return lines


def _ours(warehouse: cs.warehouse.Warehouse, rows: int, options: argparse.Namespace) -> Line:
    # use a new φ each time; the first does not count, because it opens files that later ones read again
    asked = [warehouse.quantile(phi) for phi in PHIS[: options.rounds + 1]]
    accurate = [timed(frame.collect) for frame in asked][1:]
    quick = [timed(warehouse.quantile(phi, "quick").collect) for phi in PHIS[: options.rounds + 1]][1:]
    answers = [frame.first() for frame in asked[1:]]
    median = warehouse.quantile(0.5, "quick").first()
    assert median is not None
    return {
        "rows": rows,
        "runs": warehouse.describe()["runs"],
        "bytes_total": answers[0].bytes_total,
        "accurate": accurate,
        "quick": quick,
        "quick_rank_error": median.rank_error,
        "rows_read": max(row.rows_read for row in answers),
        "bytes_read": max(row.bytes_read for row in answers),
        "rank_error": max(row.rank_error for row in answers),
    }


def _peers(
    spark: SparkSession, warehouse: cs.warehouse.Warehouse, peers: Peers, rows: int, sketches: str
) -> dict[str, dict[str, Any]]:
    warehouse.register("measured")
    files = [row[0] for row in spark.sql("SELECT explode(files) FROM measured_runs").collect()]
    found = peers.ask(PeerInput(files, sketches), rows)
    answered = [peer for peer in found.values() if "value" in peer]
    # the error of each, by the exact ranks of the warehouse
    values = sorted({peer["value"] for peer in answered})
    ranks = {row.value: row.rank_low for row in warehouse.rank(values).collect()} if values else {}
    for peer in answered:
        peer["off"] = abs(ranks[peer["value"]] - (rows + 1) // 2)
    return found


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    names = {key: peer["name"] for key, peer in lines[-1]["peers"].items()}
    text = [
        "",
        "## Questions as history grows",
        "",
        f"One history of BIGINTs has ε = 0.001 and κ = 10. It is asked at each size, {options.rounds} times, each time another φ. Seconds "
        "are the median, least and greatest. *Read* is the most that one of the accurate answers read. Accurate answers are exact here: "
        "nothing is live.",
        "",
        "| rows | runs | GB | accurate, s | quick, s | rows read | MB read | share of bytes |",
        "|---|---|---|---|---|---|---|---|",
        *(_own(line) for line in lines),
        "",
        f"Others answer the median of the same files, once each, with two threads. {_versions(lines[-1]['peers'])}",
        "",
        "- *percentile_approx* is Spark's, with its default accuracy. It reads all rows.",
        f"- *Spark by pushdown* is exact. It takes the least and the greatest value from the footers of the files. Then it counts a grid of "
        f"{SPLITS} to {2 * SPLITS} cells, which is a scan of all rows. Then it filters the one cell that has the median, which skips what "
        f"is sorted elsewhere, and counts a grid of that. It sorts what is left as soon as that is {spaced(FETCHED)} rows or fewer.",
        f"- *Sketches merged* are our quantile sketches of ε = {EPSILON:g}, one stored for each append and merged in the query.",
        f"- *DuckDB* and *ClickHouse* have exact functions, which hold all rows in memory, and ClickHouse has `quantileGK({round(1 / EPSILON)}, …)`.",
        "",
        f"| rows | {' | '.join(names.values())} |",
        f"|---|{'---|' * len(names)}",
        *(
            f"| {spaced(line['rows'])} | {' | '.join(_seconds(line['peers'][key]) for key in names)} |"
            for line in lines
        ),
        "",
        "Those were seconds. How many ranks is each of these answers off, and what do ours certify?",
        "",
        f"| rows | accurate, certified | quick, certified | sketches merged, certified | {' | '.join(names.values())} |",
        f"|---|---|---|---|{'---|' * len(names)}",
        *(_off(line, names) for line in lines),
    ]
    last = lines[-1]
    text += [
        "",
        f"All appends of {spaced(last['rows'])} rows took {last['appended']:.0f} s, with their merges. Sketching the same rows took "
        f"{last['sketched']:.0f} s.",
    ]
    notes = list(_notes(lines))
    return text + (["", "What was not run, and why:", "", *notes] if notes else [])


def _notes(lines: list[Line]) -> Iterable[str]:
    """Write why a peer has no figures, once per reason."""
    first: dict[tuple[str, str], int] = {}
    for line in lines:
        for peer in line["peers"].values():
            if "note" in peer:
                first.setdefault((peer["name"], peer["note"]), line["rows"])
    for (name, note), rows in first.items():
        yield f"- {name}, from {spaced(rows)} rows on: {note}."


def _own(line: Line) -> str:
    return (
        f"| {spaced(line['rows'])} | {line['runs']} | {line['bytes_total'] / 1e9:.2f} | {Spread.of(line['accurate'])} | "
        f"{Spread.of(line['quick'])} | {spaced(line['rows_read'])} | {line['bytes_read'] / 1e6:.2f} | "
        f"{line['bytes_read'] / line['bytes_total']:.3%} |"
    )


def _versions(peers: dict[str, dict[str, Any]]) -> str:
    named = {peer["name"].split()[0]: peer["version"] for peer in peers.values() if peer["version"]}
    listed = ", ".join(f"{name} {named[name]}" for name in ("Spark", "DuckDB", "ClickHouse") if name in named)
    return f"Versions: {listed}."


def _seconds(peer: dict[str, Any]) -> str:
    if "seconds" not in peer:
        return (
            "not installed"
            if peer["version"] is None
            else "not run"
            if "not run" in peer["note"]
            else "failed"
        )
    return f"{peer['seconds']:.2f}"


def _off(line: Line, names: dict[str, str]) -> str:
    peers = line["peers"]
    certified = peers["sketches"].get("rank_error")
    cells = [
        spaced(round(line["rank_error"])),
        spaced(round(line["quick_rank_error"])),
        "" if certified is None else spaced(round(certified)),
        *(spaced(peers[key]["off"]) if "off" in peers[key] else "" for key in names),
    ]
    return f"| {spaced(line['rows'])} | {' | '.join(cells)} |"
