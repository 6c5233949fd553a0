"""Find out which operators of chronosketch run in a session, and why others do not."""

from __future__ import annotations

import platform
import re
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from chronosketch.error_log import muted_error_log
from chronosketch.errors import ChronosketchError
from chronosketch.installed import version
from chronosketch.jar import functions_of
from chronosketch.sessions import (
    CATALOG,
    CATALOG_CLASS,
    check_installed,
    how_to_start,
    is_classic,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Status = Literal["ours", "fell back", "refused"]
Functions = Literal["jar", "portable", "none"]


@dataclass(frozen=True)
class Finding:
    """Whether one part of chronosketch works in a session.

    Attributes
    ----------
    part : str
        What was tried.
    status : {"ours", "fell back", "refused"}
        "ours": our operator ran it. "fell back": the answer was right, but another operator ran it; or a
        setting does not exist, so the default counts.
        "refused": there was no answer, or a wrong one.
    reason : str
        The operator, or why it was not ours.
    remedy : str
        What to do; empty if nothing is to be done.
    """

    part: str
    status: Status
    reason: str
    remedy: str = ""


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The findings of `doctor` in a session. Its text is a table.

    Attributes
    ----------
    version : str
        The version of the Python package.
    functions : {"jar", "portable", "none"}
        What answers the functions in SQL: the jar, Python's functions, or nothing.
    spark : str
        The version of Spark.
    session : {"classic", "Connect"}
        The kind of session.
    java, python : str
        The version of Java that Spark runs on, or "unknown", and the version of this Python.
    rows : tuple of Finding
        A row for each part.
    """

    version: str
    functions: Functions
    spark: str
    session: Literal["classic", "Connect"]
    java: str
    python: str
    rows: tuple[Finding, ...]

    @property
    def is_refused(self) -> bool:
        """Whether some part does not work."""
        return any(row.status == "refused" for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values of JSON."""
        return {**asdict(self), "rows": [asdict(row) for row in self.rows]}

    def __repr__(self) -> str:
        by = {"jar": "by its jar", "portable": "in Python", "none": "without its functions"}[self.functions]
        where = f"Spark {self.spark} ({self.session}), Java {self.java}, Python {self.python}"
        wide = max(len(row.part) for row in self.rows)
        lines = [f"chronosketch {self.version} {by}, on {where}", ""]
        for row in self.rows:
            lines.append(f"{row.part:{wide}}  {row.status:9}  {row.reason}")
            if row.remedy:
                lines.append(f"{'':{wide}}  {'':9}  -> {row.remedy}")
        return "\n".join(lines)


_ROWS = (
    "SELECT id AS n, id % 2 AS k, CAST(id AS DOUBLE) AS v, timestamp_seconds(id) AS ts FROM range(0, 8, 1, 1)"
)


@dataclass(frozen=True)
class _Probe:
    """A tiny query, the operator that should run it, and its answer. {f} stands before our functions."""

    part: str
    operator: str
    query: str
    answer: list[float]


_PROBES = (
    _Probe(
        "GROUP BY",
        "SketchAggregate",
        f"SELECT {{f}}approx_quantile(v, 0.5) AS a FROM ({_ROWS}) GROUP BY k ORDER BY k",
        [2, 3],
    ),
    _Probe(
        "stored sketches",
        "SketchAggregate",
        "SELECT {f}sketch_quantile({f}sketch_merge_agg(s), 0.5) AS a "
        f"FROM (SELECT {{f}}quantile_sketch_agg(v) AS s FROM ({_ROWS}) GROUP BY k)",
        [3],
    ),
    _Probe(
        "OVER (PARTITION BY)",
        "SketchWindow",
        "SELECT {f}approx_quantile(v, 0.5) OVER (PARTITION BY k ORDER BY n ROWS 2 PRECEDING) AS a "
        f"FROM ({_ROWS}) ORDER BY n",
        [0, 1, 0, 1, 2, 3, 4, 5],
    ),
    _Probe(
        "OVER (ORDER BY)",
        "SketchWindow",
        "SELECT {f}approx_quantile(v, 0.5) OVER (ORDER BY n ROWS 2 PRECEDING) AS a "
        f"FROM ({_ROWS}) ORDER BY n",
        [0, 0, 1, 2, 3, 4, 5, 6],
    ),
    _Probe(
        "hopping windows",
        "SketchHopping",
        f"SELECT a FROM {{f}}hopping(TABLE({_ROWS}), event_time => 'ts', size => '4 seconds', "
        "slide => '2 seconds', aggs => array('{f}approx_quantile(v, 0.5) AS a')) ORDER BY window",
        [0, 1, 3, 5, 6],
    ),
    _Probe(
        "history",
        "HistoryAggregate",
        "SELECT {f}sketch_count({f}sketch_at_version(h, 3L)) AS a "
        f"FROM (SELECT {{f}}history_sketch_agg(v, n) AS h FROM ({_ROWS}))",
        [4],
    ),
)
_SETTINGS = "spark.chronosketch."
# A session that was running before `attach` does not have the rule behind this setting.
_REWRITE = "spark.chronosketch.hopping.rewrite"
_REWRITTEN = _Probe(
    "GROUP BY window(…)",
    "SketchHopping",
    f"SELECT max(v) AS a FROM ({_ROWS}) GROUP BY window(ts, '4 seconds', '2 seconds') ORDER BY window",
    [1, 3, 5, 7, 7],
)

# What Spark's own operator, or the node above one, notes in EXPLAIN.
_NOTE = re.compile(r"\[Spark's own operator: ([^\]\n]*)\]|\bFallback \[([^\]\n]*)\]")
_NODE = re.compile(r"^[\s+:*!\-()\d]*([A-Z]\w+)", re.MULTILINE)
_SETTING = re.compile(r"(spark\.chronosketch\.\S+) is (?:true|false)")
_UNLOADABLE = ("ClassNotFoundException", "NoClassDefFoundError")
_FOREIGN = ("NoSuchMethodError", "AbstractMethodError", "IncompatibleClassChangeError", "NoSuchFieldError")
# What Python's functions say, below the traceback of their worker; first of those that only the jar has.
_NEEDS_JAR = re.compile(
    r"(\w+ needs the jar, which this session does not have)\. (.*?)(?: SQLSTATE: .*)?$", re.MULTILINE
)
_REFUSAL = re.compile(r"\bChronosketchError: (.*?)(?: SQLSTATE: .*)?$", re.MULTILINE)
_LONGEST_REASON = 300


def doctor(spark: SparkSession) -> Diagnosis:
    """Try each operator in a session, and say whether ours runs it, and what to do if not.

    It runs a few queries of eight rows, and reads what EXPLAIN says about them. It changes nothing.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session.

    Returns
    -------
    Diagnosis
        ``rows`` has a `Finding` for each part. ``print`` shows them as a table, and ``to_dict`` returns them
        as values of JSON.

    Examples
    --------
    >>> found = cs.doctor(spark)
    >>> found.functions, found.is_refused, [row.status for row in found.rows if row.part == "GROUP BY"]
    ('jar', False, ['ours'])
    """
    with muted_error_log():
        functions = _functions(spark)
        rows = [_version(spark, functions)]
        full = functions == "none" or spark.catalog.functionExists("chronosketch_approx_quantile")
        prefix = "chronosketch_" if full else ""
        rewrites = spark.conf.get(_REWRITE, None) == "true"
        for probe in (*_PROBES, _REWRITTEN) if rewrites else _PROBES:
            rows.append(_tried(spark, probe, functions, prefix))
        rows += [_warehouse(spark, functions, prefix), _python(spark, functions, prefix)]
        if functions == "jar":
            rows += _unknown_settings(spark, functions)
    return Diagnosis(
        version(),
        functions,
        spark.version,
        "classic" if is_classic(spark) else "Connect",
        _java(spark),
        platform.python_version(),
        tuple(rows),
    )


def _functions(spark: SparkSession) -> Functions:
    return functions_of(spark) or "none"


def _version(spark: SparkSession, functions: Functions) -> Finding:
    if functions == "portable":
        reason = "Python's functions answer, because the session does not have the jar"
        return Finding("functions", "fell back", reason, how_to_start(spark, has_python=True))
    try:
        check_installed(spark)
    except ChronosketchError as mistake:
        reason, _, remedy = str(mistake).partition(". ")
        return Finding("functions", "refused", reason, remedy)
    return Finding("functions", "ours", f"the jar and Python have version {version()}")


def _tried(spark: SparkSession, probe: _Probe, functions: Functions, prefix: str) -> Finding:
    if functions == "none":
        return Finding(probe.part, "refused", "the session does not have the functions")
    query = probe.query.replace("{f}", prefix)
    try:
        plan = str(spark.sql(f"EXPLAIN {query}").collect()[0][0])
        answer = [row.a for row in spark.sql(query).collect()]
    except Exception as mistake:  # a platform can fail with anything
        return _failed(probe.part, mistake, functions)
    if answer != probe.answer:
        reason = f"it answered {answer}, and the right answer is {probe.answer}"
        return Finding(
            probe.part, "refused", reason, f"Don't use it here. Report it with this query: {query}"
        )
    if re.search(rf"\b{probe.operator}\b", plan):
        return Finding(probe.part, "ours", probe.operator)
    return _fallen_back(spark, probe, functions, plan)


def _fallen_back(spark: SparkSession, probe: _Probe, functions: Functions, plan: str) -> Finding:
    note = _NOTE.search(plan)
    why = next(filter(None, note.groups()), "") if note else ""
    setting = _SETTING.search(why)
    if setting:
        return Finding(probe.part, "fell back", why, f"RESET {setting[1]}")
    if why:
        return Finding(probe.part, "fell back", why, "Answers are the same, and take longer.")
    nodes = [node for node in dict.fromkeys(_NODE.findall(plan)) if node != "AdaptiveSparkPlan"]
    by = f"these operators ran it: {', '.join(nodes[:6])}"
    if functions == "portable":
        remedy = "All rows of a group go to one task. cs.portable.sketch(df, …) makes sketches before that."
        return Finding(probe.part, "fell back", by, remedy)
    remedy = "The platform plans with its own operators. Answers are the same, and take longer."
    return Finding(probe.part, "fell back", by, remedy)


def _failed(part: str, mistake: Exception, functions: Functions) -> Finding:
    text = str(mistake)
    missing = _NEEDS_JAR.search(text)
    if missing:
        return Finding(part, "refused", missing[1], missing[2])
    if functions == "portable":
        refusal = _REFUSAL.search(text)
        said = _first_line(refusal[1] if refusal else text) or type(mistake).__name__
        return Finding(part, "refused", said, "docs/portable.md says what runs without the jar.")
    reason = _first_line(text) or type(mistake).__name__
    if any(name in text for name in _UNLOADABLE):
        remedy = "The executors do not have the jar: start the session with it, in spark.jars or by --jars."
    elif any(name in text for name in _FOREIGN):
        remedy = "This is not Apache Spark's own code: use cs.portable here, or Apache Spark 4.0 to 4.3."
    else:
        remedy = "Run this part in Apache Spark to compare, and report the error with its stack trace."
    return Finding(part, "refused", reason, remedy)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST_REASON]


def _warehouse(spark: SparkSession, functions: Functions, prefix: str) -> Finding:
    """Ask a warehouse that is not there. The right answer is an error that says so."""
    part = "warehouse"
    if functions == "none":
        return Finding(part, "refused", "the session does not have the functions")
    try:
        spark.sql(f"SELECT * FROM {prefix}warehouse_quantile('/chronosketch/doctor/none', 0.5)").collect()
    except Exception as mistake:
        if "CHRONOSKETCH_WAREHOUSE_NOT_FOUND" not in str(mistake):
            return _failed(part, mistake, functions)
    if spark.conf.get(CATALOG, None) is None:
        remedy = f"For CALL in SQL: SET {CATALOG} = {CATALOG_CLASS}"
        return Finding(part, "ours", "WarehouseAnswer; Python's cs.warehouse works as it is", remedy)
    return Finding(part, "ours", "WarehouseAnswer, and CALL")


def _python(spark: SparkSession, functions: Functions, prefix: str) -> Finding:
    """Read a sketch of the session in Python."""
    part = "sketches in Python"
    if functions == "none":
        return Finding(part, "refused", "the session does not have the functions")
    try:
        from chronosketch.sketch import Sketch

        query = f"SELECT {prefix}quantile_sketch_agg(v) AS s FROM ({_ROWS})"
        median = Sketch.from_bytes(bytes(spark.sql(query).collect()[0].s)).quantile(0.5)
    except Exception as mistake:
        return _failed(part, mistake, functions)
    if median != 3:
        return Finding(part, "refused", f"the median is {median}, and 3 would be right", "Report it.")
    return Finding(part, "ours", "Python reads what the session writes")


def _unknown_settings(spark: SparkSession, functions: Functions) -> list[Finding]:
    """Find settings of this session that have our prefix, but that nothing reads."""
    try:
        known, given = (
            {row.key for row in spark.sql(query).collect() if row.key.startswith(_SETTINGS)}
            for query in ("SET -v", "SET")
        )
    except Exception as mistake:  # a platform may not list them
        return [_failed("settings", mistake, functions)]
    found = []
    for key in sorted(given):
        # spark.chronosketch.warehouse.<name> names a warehouse
        if key not in known and not key.startswith(f"{_SETTINGS}warehouse."):
            # a long prefix makes all names alike
            near = get_close_matches(key, known, n=1, cutoff=0.85)
            remedy = f"Did you mean {near[0]}? " if near else ""
            reason = f"{key} is not a setting, so it does nothing"
            found.append(Finding("settings", "fell back", reason, f"{remedy}Take it away: RESET {key}"))
    return found


def _java(spark: SparkSession) -> str:
    try:
        query = "SELECT java_method('java.lang.System', 'getProperty', 'java.version') AS java"
        return str(spark.sql(query).collect()[0].java)
    except Exception:  # some platforms forbid it
        return "unknown"
