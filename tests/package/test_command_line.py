"""The command line prints the answer, or one message."""

import json
import re
import sys
import zipfile

import chronosketch as cs
import pytest


@pytest.fixture
def sql(tmp_path, chronosketch):
    def _sql(text, *options):
        file = tmp_path / "queries.sql"
        file.write_text(text, encoding="utf-8")
        return chronosketch("sql", file, *options)

    return _sql


def test_version(chronosketch):
    done = chronosketch("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{cs.__version__}\n", "")


def test_sql_prints_its_answers_and_nothing_else(sql):
    done = sql(
        """
        -- a view; it answers nothing
        CREATE TEMPORARY VIEW t AS SELECT id AS ms, id % 2 = 0 AS even FROM range(1, 101);
        SELECT approx_quantile(ms, 0.99) AS p99, 'a;b' AS text, NULL AS nothing FROM t;
        SELECT even, quantile_sketch_agg(ms) AS s FROM t GROUP BY even ORDER BY even;
        SELECT ms FROM t;
        """,
        "--rows",
        "2",
    )
    assert done.stderr == ""
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert lines[0] == ["p99", "text", "nothing"]
    assert lines[2] == ["99", "a;b", "NULL"]
    assert [line[0] for line in lines[5:7]] == ["false", "true"]
    assert [line[2] for line in lines[5:7]] == ["bytes", "bytes"]
    assert lines[7] == ["ms"]
    assert lines[9:11] == [["1"], ["2"]]
    assert "These are the first 2 rows. --rows shows more." in done.stdout
    assert done.stdout.count("--rows") == 1


def test_sql_of_the_command_itself_with_settings(chronosketch, tmp_path):
    jar = tmp_path / "another.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("one.txt", "1")
    done = chronosketch(
        "sql",
        *("-e", "SELECT approx_quantile(id, 0.5) AS p50 FROM range(1, 101); SELECT ';' AS text;"),
        *("-e", "SELECT current_timezone() AS zone", "--execute", "SET spark.sql.shuffle.partitions"),
        *("--conf", "spark.sql.session.timeZone=Asia/Tokyo", "-c", "spark.sql.shuffle.partitions=7"),
        *("--master", "local[1]", "--conf", f"spark.jars={jar}"),
    )
    assert done.stderr == ""
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines() if line.strip() and "─" not in line]
    assert lines == [
        *(["p50"], ["50"], ["text"], [";"], ["zone"], ["Asia/Tokyo"]),
        *(["key", "value"], ["spark.sql.shuffle.partitions", "7"]),
    ]


def test_the_page_names_options_that_exist(chronosketch, top):
    page = (top / "docs" / "command-line.md").read_text("utf-8")
    helped = "".join(chronosketch(*of, "--help").stdout for of in ((), ("sql",), ("ask",), ("doctor",)))
    options = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", page))
    assert {"--conf", "-e", "--version"} <= options
    assert {option for option in options if option not in helped} == set()
    assert all(name in helped for name in re.findall(r"^\| `chronosketch (\w+)`", page, flags=re.MULTILINE))


# Runs the command line with several lists of arguments in one process, because each start of a JVM is slow.
ONE_AFTER_ANOTHER = """
import json
import os
import sys
from chronosketch.cli import main

for arguments in json.loads(sys.argv[1]):
    for stream in (1, 2):
        os.write(stream, b"\\0")
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    os.write(1, f"ended with {code}".encode())
sys.exit(code)
"""

BEFORE_SPARK = {
    (): "Give either one file of SQL or -e 'SELECT ...': 0 files and 0 -e are here.\n",
    (
        "a.sql",
        "-e",
        "SELECT 1",
    ): "Give either one file of SQL or -e 'SELECT ...': 1 files and 1 -e are here.\n",
    ("a.sql", "-f", "b.sql"): "Give either one file of SQL or -e 'SELECT ...': 2 files and 0 -e are here.\n",
    ("-e", "-- nothing"): "-e holds no SQL statement: write one, as in -e 'SELECT 1'.\n",
    ("-e", "SELECT 1", "--conf", "x"): "--conf 'x' is no setting: write --conf key=value.\n",
    ("-e", "SELECT 1", "-c", "=x"): "--conf '=x' is no setting: write --conf key=value.\n",
    ("-f", "missing.sql"): "missing.sql does not exist. Name a file of SQL statements.\n",
}


def test_invalid_arguments_are_rejected_before_spark_starts(run):
    calls = [["sql", *arguments] for arguments in BEFORE_SPARK]
    done = run(sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(calls), JAVA_HOME="/nowhere")
    assert done.returncode == 1
    assert done.stdout == "\0ended with 1" * len(calls), done.stdout
    assert done.stderr.split("\0")[1:] == list(BEFORE_SPARK.values())


def test_a_package_that_cannot_be_downloaded_is_one_message(chronosketch, tmp_path):
    repository = (tmp_path / "nothing").as_uri()
    settings = (
        "<ivysettings><settings defaultResolver='only'/><resolvers>"
        f"<ibiblio name='only' m2compatible='true' root='{repository}'/></resolvers></ivysettings>"
    )
    (tmp_path / "ivysettings.xml").write_text(settings)
    done = chronosketch(
        *("sql", "-e", "SELECT 1", "--packages", "com.example:absent:1"),
        *("--conf", f"spark.jars.ivySettings={tmp_path / 'ivysettings.xml'}"),
        *("--conf", f"spark.jars.ivy={tmp_path / 'ivy'}"),
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "com.example#absent;1: not found" in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_names_every_command_and_the_shell_completes_them(chronosketch):
    done = chronosketch("-h")
    assert done.returncode == 0
    for words in ("sql", "ask", "doctor", "demo", "advise", "calibrate", "--version", "--install-completion"):
        assert words in done.stdout
    completed = chronosketch(
        _CHRONOSKETCH_COMPLETE="complete_bash", COMP_WORDS="chronosketch sql --m", COMP_CWORD="2"
    )
    assert completed.stdout.split() == ["--master"]


MISTAKES = {
    "SELECT approx_quantile(id, 1.5) FROM range(9)": "[DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE]",
    "SELEC 1": "[PARSE_SYNTAX_ERROR]",
    "SELECT * FROM nowhere": "[TABLE_OR_VIEW_NOT_FOUND]",
    "  -- nothing\n": "has no SQL statement",
    "SELECT sketch_count(X'00')": "[CHRONOSKETCH_NOT_A_SKETCH]",
}


def test_a_mistake_is_one_message(run, tmp_path):
    files = [tmp_path / f"{i}.sql" for i, _ in enumerate(MISTAKES)]
    for file, text in zip(files, MISTAKES, strict=True):
        file.write_text(text, encoding="utf-8")
    done = run(sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps([["sql", str(file)] for file in files]))
    assert done.returncode == 1
    assert done.stdout == "\0ended with 1" * len(MISTAKES), done.stdout
    before, *messages = done.stderr.split("\0")
    assert before == ""
    for (text, condition), message in zip(MISTAKES.items(), messages, strict=True):
        assert condition in message, text
        for noise in ("Traceback", "\tat ", "WARN", '{"ts"', "+- "):
            assert noise not in message, message


def test_a_file_may_begin_with_a_byte_order_mark(chronosketch, tmp_path):
    file = tmp_path / "q.sql"
    file.write_bytes("\ufeffSELECT 'ü' AS text;".encode())
    done = chronosketch("sql", file)
    assert done.stderr == ""
    assert done.stdout.split()[-1] == "ü"


def test_a_folder_in_place_of_a_file(chronosketch, tmp_path):
    done = chronosketch("sql", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path} cannot be read (Is a directory). Name a file of SQL statements.\n"


def test_a_binary_file_is_rejected(chronosketch, tmp_path):
    file = tmp_path / "q.sql"
    file.write_bytes(b"SELECT '\xff';")
    done = chronosketch("sql", file)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{file} is not text in UTF-8 (")


def test_no_java_is_one_sentence(sql, chronosketch, tmp_path):
    file = tmp_path / "q.sql"
    file.write_text("SELECT 1;")
    done = chronosketch("sql", file, JAVA_HOME=str(tmp_path / "no-jdk"))
    assert done.returncode == 1
    assert (
        done.stderr
        == "Spark needs Java: install a JDK 17 or newer, then put its java on PATH or set JAVA_HOME.\n"
    )


def test_the_doctor_prints_a_table_and_its_exit_code_says_if_something_is_refused(run):
    calls = [["doctor"], ["doctor", "--conf", "spark.chronosketch.aggregate.enabled=false"]]
    done = run(sys.executable, "-c", ONE_AFTER_ANOTHER, json.dumps(calls))
    assert done.stderr.strip("\0") == ""
    _, good, off = done.stdout.split("\0")
    assert good.endswith("ended with 0")
    assert good.startswith(f"chronosketch {cs.__version__} by its jar, on Spark ")
    assert good.count("  ours  ") == 9
    assert off.endswith("ended with 0")
    assert "fell back  spark.chronosketch.aggregate.enabled is false" in off
    assert "-> RESET spark.chronosketch.aggregate.enabled" in off


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sc://127.0.0.1:1", "No server answers at sc://127.0.0.1:1 ("),
        ("127.0.0.1", "'127.0.0.1' is not the address of a server: write it as sc://host:15002."),
    ],
)
def test_the_doctor_of_a_server_that_is_not_there_is_one_message(chronosketch, url, message):
    done = chronosketch("doctor", "--remote", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
