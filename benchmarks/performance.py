"""Writes docs/performance.md, docs/figures.md and the table of docs/tradeoffs.md, from the stored results.

    python benchmarks/performance.py

`make reference` runs it, and a test compares. It measures nothing. A line names a row of a page of results, a section one of its tables.
This file contains no measured figures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from harness.results import RESULTS

DOCS = Path(__file__).resolve().parents[1] / "docs"
MARKS = "<!-- tradeoff -->", "<!-- /tradeoff -->"
MACHINE = re.compile(r"^- (.+, \d+ cores, \d+ GiB)$", re.MULTILINE)

OPENING = """\
# Performance

Every figure on this page was measured by a program in [benchmarks/](../benchmarks), and this page is written from its results.
*Times as fast* is the time of the other side divided by ours, with the least and the greatest of the rounds in brackets.
**Above 1 we are faster, below 1 the other side is.** Both sides ran in one session, in turns. Each page of results names its machine, its
versions and its command. Pages were measured at different times, so compare within a page, not between pages.

## In short
"""

MORE = """\
*M rows/s* is how many million rows our side reads in a second, on this machine: {machines}. A dash stands where it reads stored sketches.

**{slower}** [All ratios](../benchmarks/results/README.md) stand on one page, those where we lose first. [All figures](figures.md) have a section for each subject.
"""

MISSES = """\
## Targets that we miss

{missed} of the {all} ratios that have a target miss it. Those that miss by most come first.
"""

OTHERS = """\
Targets that are not ratios of two sides:
"""

WHY = """\
Two targets that we miss have no column: a refresh of a roll-up after one appended file may take three times the reading of it, and the state of a stream at 100 rows a pane may have 0.15 of the
bytes of `GROUP BY window`. [Where the time goes, and why](figures.md#where-the-time-goes-and-why) has the reasons for most of these.
"""

FIGURES = """\
# All figures

[Performance](performance.md) says what *times as fast* means. It has the lines that most people ask about, and the targets that we miss. This page has the rest. It is written from the results of the
programs in [benchmarks/](../benchmarks). [All ratios](../benchmarks/results/README.md) stand on one page, those where we lose first.
"""

REASONS = """\
## Where the time goes, and why

Why we miss [some targets](performance.md#targets-that-we-miss), and why others are faster in some cases that have none.
[Samples of these queries](../benchmarks/results/profiles.md), by place, stand beside what their scans alone take.

- **One quantile of a whole column, beside `max`.** Both read the same pages. `max` then needs one comparison a value. A sketch looks up
  the cell of each value, counts it there and keeps the cell's greatest value. No other part of the query takes as long.
- **1 000 groups, two keys, 20 columns.** A sketch looks at each value three times: it is put with its group, counted in a block, and its block is
  put together with others. `max` looks at it once. Groups of fewer than 48/ε rows in a task are not counted in cells. 20 columns are
  20 times one column.
- **100 000 groups.** Each group has few values, so nearly all of them are kept, written to the shuffle and read again. Most of the time is
  memory that is touched in no order.
- **`WHERE`.** With a filter in between, rows come one at a time from generated code, which copies each to the rows of its group. That is a
  quarter of the query. The rest is what every grouped sketch takes.
- **Beside `count`, `avg` and `max` in one query.** Spark's functions need rows, which generated code reads from the columns one at a time.
  With groups, this code and the buffers of the functions take nearly a fifth of the query, and most of the rest is what ε = 0.0001 takes over groups.
- **ε = 0.0001 over 1 000 groups, beside `max` and ClickHouse.** A group of fewer than 48/ε rows in a task is kept as it came. Its values are
  copied, encoded, shuffled and sorted. That is more than half of the time.
- **Samples over 1 000 groups.** A sample may hold 10 000 values, and a task has fewer rows of a group than that. So all rows are kept and
  shuffled, and each sample is sorted once at the end.
- **`comoments_agg`, beside `corr`.** Each block of rows is read twice, first for the means and then for the distances from them. Our answer has
  bounds for it, and Spark's has none.
- **`window_sketch_agg` and `window_sample_agg`, beside `max`.** A task has too few rows of a group to summarise them, so nearly all rows are encoded,
  shuffled and sorted, and the final task makes the buckets or draws the sample. `max` sends one number for each group. A sample of any window also
  orders the newest priorities in a heap, and counts rows in buckets.
- **`window_sketch_agg` in the core.** One core takes two thirds of the rows that we want ([What a row costs](../benchmarks/results/windows.md)). Sorting the keys of each bucket, joining
  buckets and writing nearly every key take most of it. In a query, tasks hand few rows of a group on as they came, and make buckets once.
- **Rolling windows in no order, beside DuckDB and Polars.** Rows are read as columns, packed into blocks, written, read and unpacked, copied into
  memory, sorted, and copied out as rows for Spark's sink. Collecting and sorting them takes more than a third of the time, the way from task to task
  a seventh; what slides is less than a tenth. The others keep columns, and only pass them from thread to thread. So `min`, `avg` and `stddev` take
  about as long as p99 does.
- **Rolling windows over a table that is bucketed and sorted.** Nothing is moved or sorted: rows stream through the operator. Spark makes a row of
  columns for it and for the sink. Polars reads columns and keeps columns; if it is told that they are in order, it does no more than slide.
- **Hopping windows, with one sketch on both sides.** Both sides answer as many windows. That takes most of our time if an hour has a million rows.
  `GROUP BY window` copies each row into sixty windows, so it falls behind further the more rows there are.
- **State of a stream at 100 rows a pane and ε = 0.01.** A sketch of up to 2/ε values keeps all of them, so that windows of few rows stay exact.
  The sketch of a pane has 853 bytes: 725 for its hundred values, 100 for their counts, and 28 around them. Spark's row of state adds about 100.
  The target of 0.15 is 537 bytes for all of it. But a hundred such values in order hold 623 bytes of information, and no code is shorter
  than that. A pane summarised at ε = 0.01 would drop half of the values, and windows of few rows would no longer be exact.
- **Bytes of a stored sketch of six values.** We wanted at most 70. Six doubles in no order hold 40 bytes of information, and the format keeps their
  keys in 49. The rest is a count for each value, and 28 bytes around them, 14 of which stay where they are in every format.
  [What each byte is for](../benchmarks/results/spark_small.md), and what a new format could save, is on a page of its own.
- **[Structures that you choose by name](../benchmarks/results/spark_sliding.md).** They are there to compare, and to bound memory. For frames that fit into memory, the exact structures
  are faster. Hopping windows that share no rows gain nothing by panes, and take up to twice as long as a plain list of their rows.
- **Dashboards of an hour or a day, from a roll-up.** The table is in the order of time, so Spark reads one or two of its files in half a second.
  A question of an hour over a roll-up reads a megabyte. It takes a fifth of a second, in which Spark plans and Delta looks for files in a job of
  its own for each level. A day that ends at five o'clock needs 23 hours of 480 sketches, a seventh of the bytes of its rows. The longer the
  range, the more a roll-up saves.
- **Refreshing a roll-up.** A step asks which buckets the changes touch, and runs many small jobs of Spark and Delta, so even one appended
  file takes many times the reading of it. Updates cannot be taken out of a sketch: the touched groups are built anew. If these are more than
  half of all, a step builds everything.
- **A `CUBE`, beside its finest `GROUP BY`.** We wanted 1.5 times its time. Its groups have about 8 700 rows, so their sketches still have thousands of values, and
  each is decoded and merged four or five times on the way to coarser groups. At a smaller ε that is more.
- **Small sketches in Python, beside datasketches.** Its package is C++ code. A sketch of ours is checked, opened, merged or asked by numpy, which passes
  over each byte about twenty times. Building, and merging large sketches, are faster than there. We wanted more of the latter, but a union of
  20 large ones sorts about 12 000 keys and writes them, and arrays can hardly be sorted faster.
- **Many groups in Python.** Rows are put in the order of their groups, and then sorted within them. Ungrouped values are only sorted.
- **`cs.portable.sketch`, beside Spark's KLL.** Spark takes most of the time to give the rows to Python: [a side that drops them](../benchmarks/results/spark_portable.md) shows how much.
- **Unions of unions, from the third level on.** A union may spend only what error its parts left. Two levels fit; deeper trees keep more tuples.
"""

CLOSING = """\
## Measure it yourself

`bash benchmarks/all.sh` measures [all ratios](../benchmarks/results/README.md) again, in less than two hours. `bash benchmarks/more.sh` measures
the other pages in several hours. `.venv/bin/python benchmarks/spark_aggregate.py --help` measures one part.
`make reference` then writes this page and [all figures](figures.md) again.
"""


@dataclass(frozen=True)
class Section:
    """One table of a page of results, with an introduction for the reader."""

    title: str
    prose: str
    page: str
    table: str = ""
    nth: int = 0
    picture: tuple[str, str] | None = None

    def text(self) -> str:
        """Return the text of the section."""
        parts = [f"## {self.title}", self.prose]
        if self.picture:
            parts.append(_picture(*self.picture))
        parts.append("\n".join(self.rows()))
        parts.append(
            f"[The results](../benchmarks/results/{self.page}.md) have more, and how they were measured."
        )
        return "\n\n".join(parts) + "\n"

    def rows(self) -> list[str]:
        """Return the lines of the table: number `nth` of those whose heading contains the words."""
        found = tables((RESULTS / f"{self.page}.md").read_text("utf-8"))
        return [table for table in found if self.table in table[0]][self.nth]


@dataclass(frozen=True)
class Line:
    """A row of a page of results, with the question that it answers."""

    question: str
    page: str
    figure: str
    ours: str
    beside: str
    reads_rows: bool = True

    def text(self) -> str:
        """Return the row of the table."""
        times = self._cell("times as fast", f"`{self.ours}`", f"`{self.beside}`")
        speed = self._cell("M rows/s", f"`{self.ours}`") if self.reads_rows else "–"
        return (
            f"| {self.question} | `{self.ours}` | `{self.beside}` | {times} | {speed} "
            f"| [results](../benchmarks/results/{self.page}.md) |"
        )

    def machine(self) -> str:
        """Return the machine that the page of results names."""
        machine: str = MACHINE.findall((RESULTS / f"{self.page}.md").read_text("utf-8"))[0]
        return machine

    def _cell(self, column: str, *sides: str) -> str:
        """Return the cell of a column in the first row that has the figure and the sides."""
        for table in tables((RESULTS / f"{self.page}.md").read_text("utf-8")):
            names = _cells(table[0])
            for cells in map(_cells, table[2:]) if column in names else ():
                if cells[0] == self.figure and all(side in cells for side in sides):
                    return cells[names.index(column)]
        raise ValueError(f"{self.page}.md has no {column} of {self.figure}, {sides}")


@dataclass(frozen=True)
class Target:
    """A target of a table of results: a bound, and what was measured."""

    page: str
    figure: str
    ours: str
    beside: str
    measure: str
    measured: str
    bound: str
    row: str

    @property
    def is_ratio(self) -> bool:
        """Whether two sides are compared by their times."""
        return self.measure == "times as fast"

    @property
    def share(self) -> float:
        """Return what was reached of the target: below 1 it is missed."""
        measured, bound = _number(self.measured), _number(self.bound[1:])
        return measured / bound if self.bound.startswith("≥") else bound / measured

    @property
    def short_bound(self) -> str:
        """Return the bound with at most three digits of a fraction."""
        return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", self.bound)

    def place(self) -> str:
        """Return a link to the section of all figures that has the row, or to the page of results."""
        for section in SECTIONS:
            if section.page == self.page and self.row in section.rows():
                anchor = re.sub(r"[^\w\- ]", "", section.title.lower()).replace(" ", "-")
                return f"[{section.title}](figures.md#{anchor})"
        title = (RESULTS / f"{self.page}.md").read_text("utf-8").splitlines()[0].removeprefix("# ")
        return f"[{title}](../benchmarks/results/{self.page}.md)"


LINES = (
    Line(
        "p99 of each of 1 000 groups, 100 million rows",
        "spark_aggregate_100m",
        "1 000 groups",
        "approx_quantile(v, 0.99, 1e-3)",
        "percentile_approx(v, 0.99, 1000)",
    ),
    Line(
        "… beside the simplest aggregate there is",
        "spark_aggregate_100m",
        "1 000 groups",
        "approx_quantile(v, 0.99, 1e-3)",
        "max(v)",
    ),
    Line(
        "… beside another engine",
        "spark_aggregate_100m_engines",
        "1 000 groups, ClickHouse",
        "approx_quantile(v, 0.99, 1e-3)",
        "ClickHouse quantileGK(1000, 0.99)(v)",
    ),
    Line(
        "a sketch of each of 1 000 groups by the recipe for latencies, beside one of the default ε",
        "spark_tails",
        "1 000 groups, tails and sums",
        "quantile_sketch_agg(v, 0.01, tail => 'high')",
        "quantile_sketch_agg(v, 0.001)",
    ),
    Line(
        "p99 of the last 1 000 rows at every row",
        "spark_sliding",
        "10 partitions",
        "p99 of 1 000 rows",
        "percentile_approx of 1 000 rows",
    ),
    Line(
        "… beside a database",
        "spark_sliding",
        "peers, ordered",
        "p99 of 1 000 rows",
        "DuckDB p99 of 1 000 rows",
    ),
    Line(
        "… beside a library of data frames",
        "spark_sliding",
        "peers, ordered",
        "p99 of 1 000 rows",
        "Polars p99 of 1 000 rows",
    ),
    Line(
        "p99 of the last ten minutes, every ten seconds, 10 000 keys",
        "spark_hopping_beside_spark",
        "10 000 keys",
        "hopping_sketch, approx_quantile(v, 0.99)",
        "GROUP BY window, percentile_approx(v, 0.99)",
    ),
    Line(
        "ten windows of a day",
        "spark_window",
        "1000 groups, ten windows",
        "10 windows of stored sketches",
        "1 scan, 10 FILTERs",
        reads_rows=False,
    ),
    Line(
        "30 dashboard queries, 300 million rows",
        "spark_rollup",
        "all",
        "table, rewritten",
        "table, approx_quantile",
        reads_rows=False,
    ),
    Line(
        "quantiles of a past version",
        "spark_history",
        "10 groups, one version",
        "one version of stored histories",
        "VERSION AS OF, percentile_approx(100)",
        reads_rows=False,
    ),
)

SECTIONS = (
    Section(
        "Quantiles of groups",
        "100 million lognormal doubles in Parquet, on two cores. `max` is there for scale: no quantile can be faster.",
        "spark_aggregate_100m",
        picture=(
            "spark_aggregate_100m",
            "Million rows a second of approx_quantile, percentile_approx, KLL and max, ungrouped and over 1 000 groups",
        ),
    ),
    Section(
        "Beside ClickHouse and DuckDB",
        "The same rows. ClickHouse and DuckDB read the same files, with two threads in one process.",
        "spark_aggregate_100m_engines",
    ),
    Section(
        "Other inputs, and several answers of one query",
        "Many small groups, string keys, skewed and sorted values, NULLs, and merging small stored sketches.",
        "spark_aggregate",
    ),
    Section(
        "Beside Comet",
        "20 million lognormal doubles in Parquet, on Spark 4.1. Apache DataFusion Comet runs queries of Spark in native code. Its `percentile_approx` is Spark's "
        "algorithm in Rust, and reads Comet's own scan. *Over Comet's scan* is our operator in a session with Comet, which reads the columns of the same scan.",
        "spark_comet",
    ),
    Section(
        "Other shapes",
        "Filters, two keys, few and many groups, many columns, merging larger stored sketches, and a bound of the value.",
        "spark_aggregate_shapes",
    ),
    Section(
        "Subtotals",
        "A `CUBE` of four keys over 50 million rows, beside its finest `GROUP BY` and beside Spark's plan, which copies each row sixteen times.",
        "spark_cube",
    ),
    Section(
        "Dashboards from a roll-up",
        "300 million requests of 90 days in a Delta table, and their roll-up by hour, day and 30 days. *Rewritten* is the query over the table, "
        "answered from the roll-up.",
        "spark_rollup",
        table="ranges | queries",
        picture=(
            "spark_rollup",
            "Seconds of queries of an hour, a day, a week and 90 days on a table and on its roll-up, and seconds of steps after changes of one "
            "percent of the rows, beside a rebuild",
        ),
    ),
    Section(
        "Refreshing a roll-up",
        "Steps after changes of one percent of the same 300 million rows, beside building the roll-up anew.",
        "spark_rollup",
        table="step after",
    ),
    Section(
        "Many small sketches",
        "860 000 stored sketches of six rows each, as roll-ups have them, merged to 480 groups, beside Spark's KLL sketches of the same rows, and beside the "
        "same answers from the rows. The second k of KLL has the same error.",
        "spark_small",
        table="figure | ours",
    ),
    Section(
        "Far in the tail",
        "100 million lognormal floats, summarised in the core by one thread. REQ and KLL have about the bytes of the sketch with a tail. Rank errors are shares "
        "of the values from the quantile up.",
        "tails",
        table="sketch | bytes",
    ),
    Section(
        "Tails and sums in SQL",
        "A sketch of a tail, and one that keeps the sum, beside the plain sketch of the default ε and `max`.",
        "spark_tails",
    ),
    Section(
        "Experiments from stored sketches",
        "300 experiments with 500 metrics each: the daily sketches of two arms, merged and compared.",
        "spark_comparison",
        table="question | seconds",
    ),
    Section(
        "The first query of a session",
        "A short query pays for starting code. This is how long the very first one takes.",
        "spark_cold",
    ),
    Section(
        "Memory",
        "Large aggregations in a small heap.",
        "spark_memory",
    ),
    Section(
        "Large queries",
        "Two executors with a core each, and a driver: many tasks, groups, columns and φ, one key with nine tenths of the rows, and "
        "a join with sketches that are broadcast.",
        "spark_scale",
    ),
    Section(
        "Rolling windows",
        "Exact p99 of the last so many rows, at every row of 5 million. DuckDB and Polars "
        "read the same files with two threads of one process. *Bucketed and sorted*: each partition is whole and in order in one of two files, so that no rows are "
        "moved. *In order*: Polars does not sort. "
        "How we compare with DuckDB and Polars depends on the machine. On an Intel one our ratios were lower.",
        "spark_sliding",
        picture=(
            "spark_sliding",
            "Million rows a second of an exact rolling p99 by the length of its frame, beside Spark's running sum and sort, DuckDB and Polars",
        ),
    ),
    Section(
        "Windows from storage",
        "A day of 20 million rows in 1 000 groups, beside Spark's `percentile_approx … FILTER (WHERE ts > …)`.",
        "spark_window",
    ),
    Section(
        "Bytes of a window sketch",
        "One group's window sketch, beside a KLL sketch for every minute of the span. For a short span the sketches a minute are smaller.",
        "spark_window",
        table="span | rows",
    ),
    Section(
        "Window sketches by themselves",
        "The core, no Spark, on the stream of the paper, beside the paper's nested sketches.",
        "windows",
    ),
    Section(
        "Hopping windows",
        "Ten minutes every ten seconds, over the rows of an hour. `GROUP BY window` is Spark's own plan: it copies each row into sixty windows.",
        "spark_hopping_beside_spark",
    ),
    Section(
        "Hopping windows, with one sketch on both sides",
        "The same windows with `quantile_sketch_agg` on both sides, so that only the plan differs.",
        "spark_hopping",
    ),
    Section(
        "State of a stream",
        "What a stream keeps of a key, on disk, before compression, for windows of ten minutes every ten seconds. A sketch of "
        "fewer than 2/ε values keeps all of them. So at 100 rows a pane and ε = 0.01 the state is the bytes of the values themselves, and "
        "doubles that differ in most of their bits can hardly be packed.",
        "spark_hopping_state",
    ),
    Section(
        "Any past version",
        "One version of a Delta table of 20 million rows, from stored histories and by Delta's time travel.",
        "spark_history",
    ),
    Section(
        "Building histories",
        "Rows that hold for a time, over 1 000 groups. Most of the time is the sort.",
        "spark_history",
        table="figure | ours",
        nth=1,
    ),
    Section(
        "Histories by themselves",
        "The core, no Spark, on the paper's data, beside a simple alternative: a summary at every few versions. The alternative uses a "
        "quarter of its ε, so its greatest error is smaller at the same ε. In the same bytes ours is smaller.",
        "history",
    ),
    Section(
        "Warehouse: questions as history grows",
        "Exact and quick quantiles of random BIGINTs, ε = 0.001.",
        "warehouse",
        table="rows | runs | GB",
    ),
    Section(
        "Warehouse: beside other ways to an exact quantile",
        "Seconds for the same files. A warehouse's own answers are in the table above.",
        "warehouse",
        table="rows | percentile_approx | Spark by pushdown",
    ),
    Section("Moments", "20 million doubles, beside Spark's own functions.", "spark_moments"),
    Section(
        "Samples", "20 million doubles, each method beside `max` and `percentile_approx`.", "spark_samples"
    ),
    Section(
        "The core by itself",
        "One core, no Spark, beside KLL of datasketches-java. `gk ε` is ours, and its error is certain. KLL's holds with 99 % confidence.",
        "core",
    ),
    Section("Bytes of a stored sketch", "The same, stored.", "core", table="stored | gk"),
    Section(
        "Python, without Spark",
        "Sketches that Python builds, merges and asks, in one thread, beside the packages datasketches, which is C++, and ddsketch.",
        "sketch_building",
    ),
    Section(
        "A column of stored sketches, without Spark",
        "A million stored sketches of 100 values each, from Parquet files to quantiles. Ours opens all at once in one thread of numpy, and Spark uses two cores.",
        "sketch_column",
    ),
    Section(
        "On Spark, without the jar",
        "20 million doubles in Parquet. `cs.portable.sketch` sketches rows where they are. The SQL function moves all rows of a group to one "
        "task of Python.",
        "spark_portable",
        table="beside",
    ),
    Section(
        "QLOVE",
        "Value error in percent, beside the paper's own figures.",
        "qlove",
        picture=(
            "qlove",
            "Value error at p999 by the rows a pane has, and million rows a second by the window, of QLOVE and its rivals",
        ),
    ),
)


def main() -> None:
    """Write the pages."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


def pages() -> dict[Path, str]:
    """Return the text of each file to write."""
    return {
        DOCS / "performance.md": performance(),
        DOCS / "figures.md": figures(),
        DOCS / "tradeoffs.md": tradeoffs(),
    }


def tradeoffs() -> str:
    """Return the handwritten page with its table of results replaced."""
    first, last = MARKS
    before, rest = (DOCS / "tradeoffs.md").read_text("utf-8").split(first)
    table = tables((RESULTS / "tradeoff.md").read_text("utf-8"))[0]
    return "\n".join([before + first, *table, last + rest.split(last)[1]])


def performance() -> str:
    """Return the generated page for all readers."""
    lines = [
        "| question | ours | beside | times as fast | M rows/s | |",
        "|---|---|---|---|---|---|",
        *(line.text() for line in LINES),
    ]
    found = targets()
    ratios = [target for target in found if target.is_ratio]
    machines = sorted({line.machine() for line in LINES if line.reads_rows})
    return "\n".join(
        [
            OPENING,
            *lines,
            "",
            MORE.format(machines="; ".join(machines), slower=slower_sides()),
            MISSES.format(missed=sum(target.share < 1 for target in ratios), all=len(ratios)),
            *missed_ratios(ratios),
            "",
            OTHERS,
            *missed_others([target for target in found if not target.is_ratio]),
            "",
            WHY,
            CLOSING,
        ]
    )


def slower_sides() -> str:
    """Return the sentence of the page of all ratios that counts where our side is slower."""
    text = (RESULTS / "README.md").read_text("utf-8")
    return next(line for line in text.splitlines() if line.startswith("Ours is the slower side in"))


def targets() -> list[Target]:
    """Return the targets of all tables of results, in the order of the pages."""
    found = []
    for file in sorted(RESULTS.glob("*.md")):
        for table in tables(file.read_text("utf-8")) if file.name != "README.md" else ():
            names = _cells(table[0])
            for row in table[2:]:
                found += _targets_of(file.stem, names, row)
    return found


def _targets_of(page: str, names: list[str], row: str) -> list[Target]:
    """Return the targets of a row. A target stands right of what was measured, or right of a ratio beside it."""
    cells = _cells(row)
    if "sides" in names:
        ours, beside = cells[names.index("sides")].split(" / ")
    else:
        ours, beside = (cells[names.index(name)] if name in names else "" for name in ("ours", "beside"))
    found = []
    for column, name in enumerate(names):
        if name == "target" and cells[column].startswith(("≥", "≤")):
            measured = column - 1 if cells[column - 1] else column - 2
            found.append(
                Target(page, cells[0], ours, beside, names[measured], cells[measured], cells[column], row)
            )
    return found


def missed_ratios(ratios: list[Target]) -> list[str]:
    """Return the table of missed ratios. Figures of one page with equal sides and targets share a row."""
    together: dict[tuple[str, str, str, str], list[Target]] = {}
    for target in ratios:
        if target.share < 1:
            together.setdefault((target.page, target.ours, target.beside, target.bound), []).append(target)
    rows = sorted(together.values(), key=lambda row: min(target.share for target in row))
    return [
        "| subject | figure | ours | beside | times as fast | target |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row[0].place()} | {', '.join(target.figure for target in row)} | {row[0].ours} | {row[0].beside} "
            f"| {', '.join(_first(target.measured) for target in row) if row[1:] else row[0].measured} "
            f"| {row[0].short_bound} |"
            for row in rows
        ),
    ]


def missed_others(others: list[Target]) -> list[str]:
    """Return the table of missed targets that are not ratios of times."""
    together: dict[tuple[str, str, str], list[Target]] = {}
    for target in others:
        if target.share < 1:
            sides = " beside ".join(side for side in (target.ours, target.beside) if side)
            together.setdefault((target.page, target.measure, sides or target.figure), []).append(target)
    return [
        "| subject | what | measured | target |",
        "|---|---|---|---|",
        *(
            f"| {row[0].place()} | {what}{': ' + ', '.join(t.figure for t in row) if row[1:] else ''} "
            f"| {measure}: {', '.join(_first(t.measured) for t in row) if row[1:] else row[0].measured} "
            f"| {row[0].short_bound} |"
            for (_, measure, what), row in together.items()
        ),
    ]


def _number(text: str) -> float:
    """Return the first number of a text."""
    return float(re.sub(r"\s", "", re.findall(r"\d[\d ]*(?:\.\d+)?", text)[0]))


def _first(measured: str) -> str:
    """Return a median without the range of the rounds."""
    return measured.split(" (")[0]


def figures() -> str:
    """Return the generated page of all sections."""
    return "\n".join([FIGURES, *(section.text() for section in SECTIONS), REASONS])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text: str) -> list[list[str]]:
    """Return the tables of a page, each as a list of lines."""
    found: list[list[str]] = []
    before = ""
    for line in text.splitlines():
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append(line)
        before = line
    return found


def _picture(name: str, alt: str) -> str:
    side = f"../benchmarks/results/{name}"
    return (
        f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="{side}-dark.png">\n'
        f'  <img alt="{alt}" src="{side}-light.png">\n</picture>'
    )


if __name__ == "__main__":
    main()
