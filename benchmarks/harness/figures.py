"""A figure to measure: its data, its contestants, and the pairs of them to compare."""

from __future__ import annotations

from dataclasses import dataclass

OURS_3, OURS_4 = "approx_quantile(v, 0.99, 1e-3)", "approx_quantile(v, 0.99, 1e-4)"
SPARK_3, SPARK_4 = "percentile_approx(v, 0.99, 1000)", "percentile_approx(v, 0.99, 10000)"
# Spark computes no quantile by KLL in one step: this builds a sketch without querying it.
KLL, MAX = "kll_sketch_agg_double(v, 2000)", "max(v)"
ENGINES = ("ClickHouse", "DuckDB", "Polars")
CLICKHOUSE = f"{ENGINES[0]} "
GENERIC = " in Spark's operator"
GK_3, GK_4 = f"{CLICKHOUSE}quantileGK(1000, 0.99)(v)", f"{CLICKHOUSE}quantileGK(10000, 0.99)(v)"
CLICKHOUSE_MAX = f"{CLICKHOUSE}max(v)"
DUCKDB_EXACT = f"{ENGINES[1]} quantile_disc(v, 0.99)"
DDSKETCH = "ddsketch_agg(v)"
OTHERS = "count(v), avg(v), max(v)"  # of Spark, beside ours in one query

UNGROUPED, GROUPED = "SELECT {0} FROM v", "SELECT k, {0} FROM v GROUP BY k"

# The kinds of pairs: a user would choose between both sides; the peer answers less and shows what reading the rows takes; or
# ours is compared with itself, such as structures chosen by name.
CHOICE, SCALE, DETAIL = "choice", "scale", "detail"
SHAPES = "spark_aggregate_shapes"


@dataclass(frozen=True)
class Contestant:
    """An aggregate in a figure, with the name shown in tables.

    The name is the SQL of the aggregate, unless `of` is set. A prefix names another engine that runs it. A suffix
    says that it runs in Spark's generic operator for aggregates instead of our own.
    """

    name: str
    of: str | None = None
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def engine(self) -> str | None:
        """The engine that runs it; None for Spark."""
        return next((engine for engine in ENGINES if self.name.startswith(f"{engine} ")), None)

    @property
    def own_operator(self) -> bool:
        """Whether our aggregate may run in our own operator."""
        return not self.name.endswith(GENERIC)

    @property
    def sql(self) -> str:
        """The SQL of the aggregate."""
        name = self.name.removeprefix(f"{self.engine} ") if self.engine else self.name
        return self.of or name.removesuffix(GENERIC)


@dataclass(frozen=True)
class Pair:
    """A pair of our contestant and a peer, whose ratio of times is a row of the table.

    Attributes
    ----------
    ours, peer : str
        Contestants.
    target : float, optional
        The least ratio that was required.
    kind : str
        Where `summary.py` lists it: CHOICE among the ratios, SCALE in a table of its own, DETAIL only on its own page.
    """

    ours: str
    peer: str
    target: float | None = None
    kind: str = CHOICE

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all contestants of the pair."""
        return (self.ours, self.peer)


@dataclass(frozen=True)
class Figure:
    """Contestants that run in turns over the same data, and the pairs of them that are compared.

    Attributes
    ----------
    name : str
        The name for ``--only``.
    title : str
        The title in tables.
    data : str
        The name of the data set.
    rows : int
        The number of rows that a contestant reads.
    query : str
        SQL over the table ``v`` with a placeholder for the aggregate.
    pairs : tuple of Pair
        The rows of the table.
    scale : tuple of str
        Further contestants that are in no pair.
    texts : dict
        The SQL of contestants whose name is not their SQL.
    settings : dict
        The Spark settings that contestants need, by contestant.
    last_stages : bool
        Whether the last stage of each query is also measured separately.
    page : str
        The page of results that keeps it, if it is not the usual one of its script. A figure is on one page only.
    """

    name: str
    title: str
    data: str
    rows: int
    query: str
    pairs: tuple[Pair, ...]
    scale: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    last_stages: bool = False
    page: str = ""

    @property
    def contestants(self) -> list[Contestant]:
        """All contestants, without duplicates."""
        names = [name for pair in self.pairs for name in pair.names]
        texts, settings = dict(self.texts), dict(self.settings)
        return [
            Contestant(name, texts.get(name), settings.get(name, ()))
            for name in dict.fromkeys([*names, *self.scale])
        ]
