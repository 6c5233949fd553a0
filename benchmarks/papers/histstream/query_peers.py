"""Peers that compute a median from the files of a warehouse: scans, pushdown, merged sketches, other engines."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from os.path import commonpath
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.peers import THREADS, ClickHouse, DuckDB
from harness.rounds import FAILURES, first_line, log_progress
from harness.spread import spaced

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    Answer = tuple[int, dict[str, Any]]

SPLITS = 1024
FETCHED = 100_000
EPSILON = 0.001
PUSHDOWN = {"spark.sql.sources.useV1SourceList": "", "spark.sql.parquet.aggregatePushdown": "true"}


@dataclass(frozen=True)
class PeerInput:
    """The files of all rows, and the folder of the sketches, with one file per step."""

    files: list[str]
    sketches: str


@dataclass(frozen=True)
class Peer:
    """A way to compute a median.

    Attributes
    ----------
    answer : Callable
        Returns a median, and further facts to store.
    version : str or None
        None if it is not installed.
    holds_all : bool
        Whether it holds all rows in memory.
    """

    key: str
    name: str
    answer: Callable[[PeerInput], Answer]
    version: str | None
    holds_all: bool = False


class Peers:
    """All peers. A peer that failed or took too long is not run with more rows."""

    def __init__(self, spark: SparkSession, options: argparse.Namespace) -> None:
        self._spark, self._options = spark, options
        self._duckdb, self._clickhouse = DuckDB(), ClickHouse()
        duckdb, clickhouse = self._duckdb.version, self._clickhouse.version
        self._peers = [
            Peer("scan", "percentile_approx", self._scan, spark.version),
            Peer("pushdown", "Spark by pushdown", self._pushdown, spark.version),
            Peer("sketches", "sketches merged", self._sketches, spark.version),
            Peer("duckdb", "DuckDB quantile_disc", self._disc, duckdb, holds_all=True),
            Peer("clickhouse", "ClickHouse quantileExactLow", self._exact, clickhouse, holds_all=True),
            Peer("clickhouse_gk", "ClickHouse quantileGK", self._gk, clickhouse),
        ]
        self._given_up: dict[str, str] = {}

    def keep_sketch(self, rows: DataFrame, sketches: str) -> float:
        """Store a sketch of the rows of a step, and return the seconds."""
        begun = perf_counter()
        sketch = rows.selectExpr(f"quantile_sketch_agg(v, {EPSILON!r}D) AS s")
        sketch.coalesce(1).write.mode("append").parquet(sketches)
        return perf_counter() - begun

    def ask(self, source: PeerInput, rows: int) -> dict[str, dict[str, Any]]:
        """Run each peer once."""
        found = {}
        for peer in self._peers:
            found[peer.key] = {"name": peer.name, "version": peer.version, **self._one(peer, source, rows)}
            log_progress(f"{rows} rows: {peer.name}: {found[peer.key]}")
        return found

    def _one(self, peer: Peer, source: PeerInput, rows: int) -> dict[str, Any]:
        most = self._options.most_held
        if peer.version is None:
            return {"note": "not installed"}
        if peer.holds_all and rows > most:
            return {"note": f"not run: holds all rows, and the limit is {spaced(most)}"}
        if peer.key in self._given_up:
            return {"note": self._given_up[peer.key]}
        begun = perf_counter()
        try:
            value, more = peer.answer(source)
        except FAILURES as error:
            return self._give_up(peer, f"failed at {spaced(rows)} rows: {first_line(error)}")
        except Exception as error:
            # DuckDB's error classes cannot be named here, because it need not be installed
            if not type(error).__module__.startswith(("duckdb", "_duckdb")):
                raise
            return self._give_up(peer, f"failed at {spaced(rows)} rows: {first_line(error)}")
        seconds = perf_counter() - begun
        if seconds > self._options.most_seconds:
            self._give_up(peer, f"not run: took {seconds:.0f} s for {spaced(rows)} rows")
        return {"seconds": seconds, "value": value, **more}

    def _give_up(self, peer: Peer, why: str) -> dict[str, Any]:
        self._given_up[peer.key] = why
        return {"note": why}

    def _scan(self, source: PeerInput) -> Answer:
        row = self._rows(source).selectExpr("percentile_approx(v, 0.5D)").first()
        assert row is not None
        return row[0], {}

    def _pushdown(self, source: PeerInput) -> Answer:
        """Count values in a grid, then in a grid of the cell with the median, and finally sort the few that are left."""
        for key, value in PUSHDOWN.items():
            self._spark.conf.set(key, value)
        try:
            # this reads only the footers
            least, greatest, count = self._rows(source).selectExpr("min(v)", "max(v)", "count(v)").first()
        finally:
            for key in PUSHDOWN:
                self._spark.conf.unset(key)
        before, inside, passes, wanted = 0, count, 1, ceil(count / 2)
        while inside > FETCHED and least < greatest:
            shift = max(0, ((greatest - least) // SPLITS).bit_length() - 1)
            within = self._rows(source).where(f"v BETWEEN {least}L AND {greatest}L" if passes > 1 else "true")
            cells = within.selectExpr(f"shiftright(v, {shift}) AS cell").groupBy("cell").count()
            for cell, inside in sorted(tuple(row) for row in cells.collect()):
                if before + inside >= wanted:
                    least, greatest = max(least, cell << shift), min(greatest, ((cell + 1) << shift) - 1)
                    break
                before += inside
            passes += 1
        if least == greatest:
            return least, {"passes": passes}
        left = self._rows(source).where(f"v BETWEEN {least}L AND {greatest}L").collect()
        return sorted(row[0] for row in left)[wanted - before - 1], {"passes": passes + 1}

    def _sketches(self, source: PeerInput) -> Answer:
        merged = self._spark.read.parquet(source.sketches).selectExpr(
            "sketch_merge_agg(s) AS s", "count(*) AS n"
        )
        row = merged.selectExpr(
            "sketch_quantile(s, 0.5D, 'bigint')", "sketch_rank_error(s) * sketch_count(s)", "n", "length(s)"
        ).first()
        assert row is not None
        return row[0], {"rank_error": row[1], "sketches": row[2], "bytes": row[3]}

    def _disc(self, source: PeerInput) -> Answer:
        row = self._duckdb.row(f"SELECT quantile_disc(v, 0.5) FROM read_parquet([{_listed(source)}])", "")
        return int(row[0]), {}

    def _exact(self, source: PeerInput) -> Answer:
        return self._of_clickhouse("quantileExactLow(0.5)", source)

    def _gk(self, source: PeerInput) -> Answer:
        return self._of_clickhouse(f"quantileGK({round(1 / EPSILON)}, 0.5)", source)

    def _of_clickhouse(self, function: str, source: PeerInput) -> Answer:
        files = [file.removeprefix("file:") for file in source.files]
        # braces in the pattern need a folder before them
        top = commonpath(files) if len(files) > 1 else ""
        named = f"{top}/{{{','.join(file.removeprefix(f'{top}/') for file in files)}}}" if top else files[0]
        (value,) = self._clickhouse.row(
            f"SELECT toInt64({function}(v)) FROM file('{named}', Parquet) SETTINGS max_threads = {THREADS}",
            "",
        )
        return int(value), {}

    def _rows(self, source: PeerInput) -> DataFrame:
        return self._spark.read.schema("v BIGINT").parquet(*source.files)


def _listed(source: PeerInput) -> str:
    return ", ".join(f"'{file.removeprefix('file:')}'" for file in source.files)
