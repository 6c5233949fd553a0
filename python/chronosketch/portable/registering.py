"""Register Python's functions in a session under the names of the SQL functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from chronosketch.columns import TypeName, name_of_type
from chronosketch.errors import ChronosketchError
from chronosketch.jar import VERSION, functions_of
from chronosketch.portable import aggregates, answers, needs_jar
from chronosketch.portable.dialects import Dialect, dialect_of
from chronosketch.portable.forms import Form
from chronosketch.portable.workers import reach_workers, version_of_package

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# The beginning of the second name of each function, which no function of the user has.
_PREFIX = "chronosketch_"


def register(spark: SparkSession) -> SparkSession:
    """Register Python's functions in a session that does not have the jar.

    They have the names and arguments of the SQL functions, and run in Spark's Python workers. So they need no
    jar: not in the session, and not on the server of Spark Connect. If the workers do not have this package,
    it is sent to them. They do need numpy and pyarrow.

    A function of yours with one of the names stays. Ours has a second name then, as with the jar:
    ``chronosketch_sketch_quantile``.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session of Spark 3.5 or later. If it already has them, nothing changes.

    Returns
    -------
    pyspark.sql.SparkSession
        The same session.

    Raises
    ------
    ChronosketchError
        If the session has the jar, or its Python workers lack numpy or pyarrow.

    Notes
    -----
    A Python function in SQL has one type. So answers are DOUBLE, and one for each call: for dates, times and
    arrays of φ see `define`. Functions that only the jar has say so, and what to use instead.

    An aggregate moves all rows of a group to one task. `sketch` sketches them before they are moved.

    Examples
    --------
    >>> spark = cs.portable.register(spark)  # doctest: +SKIP
    >>> spark.sql("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5) FROM range(1, 101)")  # doctest: +SKIP
    """
    at_work = functions_of(spark)
    if at_work == "jar":
        raise ChronosketchError(
            "This session has the jar, whose functions do all that Python's do, and more. Use those."
        )
    if at_work == "portable":
        return spark
    taken = _names_of_user(spark)
    reach_workers(spark)
    for name, function in functions(dialect_of(spark)):
        for known in {name, f"{_PREFIX}{name}"} - taken:
            spark.udf.register(known, function)
    for name, instead in needs_jar.TABLES.items():
        for known in {name, f"{_PREFIX}{name.removeprefix(_PREFIX)}"} - taken:
            _register_table(spark, known, needs_jar.sentence(name, instead))
    # last, because it says that the others are there
    spark.udf.register(VERSION, F.udf(version_of_package, "string"))
    return spark


def define(
    spark: SparkSession,
    name: str,
    function: str,
    type: TypeName = "double",  # noqa: A002
    several: bool = False,
) -> SparkSession:
    """Register one of Python's functions under another name, with another type of answer.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic or a Connect session.
    name : str
        The name in SQL.
    function : str
        ``"sketch_quantile"``, ``"sketch_quantile_bounds"``, ``"sketch_min"``, ``"sketch_max"``,
        ``"sketch_sample"``, ``"sketch_ks"``, ``"sketch_quantile_interval"``,
        ``"sketch_quantile_difference"``, ``"approx_quantile"`` or ``"approx_quantile_bounds"``.
    type : str or DataType, default "double"
        The SQL type of the answers, for example ``"timestamp"``.
    several : bool, default False
        Whether φ is an array, and the answer too.

    Returns
    -------
    pyspark.sql.SparkSession
        The same session.

    Raises
    ------
    ChronosketchError
        If there is no such function or type.

    Examples
    --------
    >>> spark = cs.portable.define(spark, "p_date", "sketch_quantile", type="date")
    >>> days = "SELECT quantile_sketch_agg(d) AS s FROM VALUES (DATE'2026-01-01'), (DATE'2026-01-03') AS t(d)"
    >>> spark.sql(f"SELECT p_date(s, 0.5) AS d FROM ({days})").collect()
    [Row(d=datetime.date(2026, 1, 1))]
    """
    form = Form.of(function, name_of_type(type), several=several)
    made = typed_function(dialect_of(spark), form)
    reach_workers(spark)
    spark.udf.register(name, made)
    return spark


def typed_function(dialect: Dialect, form: Form) -> Any:
    """Return the Python function of a form."""
    if form.function in answers.TYPED:
        return dialect.scalar(form.function, answers.typed(form), form.returns)
    if form.function not in aggregates.TYPED:
        known = ", ".join([*answers.TYPED, *aggregates.TYPED])
        raise ChronosketchError(f"{form.function} has one type of answer. These have several: {known}.")
    if "struct" in form.returns and not dialect.is_typed:
        raise ChronosketchError(
            f"{form.function} needs Spark 4.1 without the jar. Use "
            "sketch_quantile_bounds(quantile_sketch_agg(value, 0.0001), phi)."
        )
    return dialect.aggregate(form.function, aggregates.typed(form), form.returns)


def functions(dialect: Dialect) -> Iterator[tuple[str, Any]]:
    """Yield the name and the Python function of each SQL function but the table functions."""
    for name, (answer, returns) in answers.PLAIN.items():
        yield name, dialect.scalar(name, answer, returns)
    for name in answers.TYPED:
        yield name, typed_function(dialect, Form(name))
    for name, aggregate in aggregates.PLAIN.items():
        yield name, dialect.aggregate(name, aggregate, "binary")
    for name in aggregates.TYPED:
        try:
            yield name, typed_function(dialect, Form(name))
        except ChronosketchError as refused:
            yield name, dialect.aggregate(name, needs_jar.refusing(str(refused)), "double")
    for name, instead in needs_jar.SCALARS.items():
        yield name, dialect.scalar(name, needs_jar.refusing(needs_jar.sentence(name, instead)), "binary")
    for name, instead in needs_jar.AGGREGATES.items():
        yield name, dialect.aggregate(name, needs_jar.refusing(needs_jar.sentence(name, instead)), "binary")


def _register_table(spark: SparkSession, name: str, text: str) -> None:
    function: Any
    if spark.version.startswith("3."):
        function = F.udtf(needs_jar.table(text), returnType="message: string")
    else:
        function = F.udtf(needs_jar.early_table(text))
    spark.udtf.register(name, function)


def _names_of_user(spark: SparkSession) -> set[str]:
    """Return the names of functions that the session has beside Spark's own."""
    rows = spark.sql("SHOW USER FUNCTIONS").collect()
    return {str(row[0]).rpartition(".")[2].strip("`").lower() for row in rows}
