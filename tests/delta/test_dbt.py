"""The project of docs/dbt.md runs with dbt and dbt-spark, and its roll-up has the rows of its source."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "smoke"))

from environments import or_raise  # noqa: E402

TOP = TESTS.parent
PAGE = (TOP / "docs" / "dbt.md").read_text("utf-8")
# They don't fit into one environment with our own tools: dbt needs a protobuf below 7, and others. The next
# minor version of dbt-core fetches a program when it is installed, from elsewhere than an index.
DBT = ("dbt-core==1.11.16", "dbt-spark==1.11.0", "dbt-adapters==1.24.5", "dbt-common==1.39.0")

pytestmark = pytest.mark.long  # it installs dbt, which may take minutes

# a session for few rows starts and plans faster with these
SETTINGS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
}
ROWS = (
    "SELECT timestamp_seconds(1772409600 + 60 * id) AS ts, concat('service-', id % 2) AS service, "
    "concat('/', id % 3) AS endpoint, double(pmod(id * 7919, 1009)) AS latency_ms FROM range({}, {})"
)
REQUESTS = f"shop.requests USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true) AS {ROWS}"


def dbt_packages():
    """Return a folder with dbt's packages, installed once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chronosketch"
    recipe = hashlib.sha256("\n".join([sys.version, *DBT]).encode()).hexdigest()[:16]
    folder = cache / f"dbt-{recipe}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        pip = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile")
        or_raise(*pip, "--target", folder, *DBT)
        (folder / "complete").touch()
    return folder


class Project:
    """The project of the page, and the process that runs its commands."""

    def __init__(self, folder):
        self.folder = folder
        for file, text in re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE, re.M | re.S):
            self.write(file, text)
        self.edit("packages.yml", "../chronosketch/dbt", str(TOP / "dbt"))
        (jar,) = (TOP / "target" / "jar").glob("*.jar")
        self.edit("profiles.yml", f"/opt/chronosketch/{jar.name}", str(jar))
        given = "      server_side_parameters:\n"
        settings = {**SETTINGS, "spark.sql.warehouse.dir": folder / "warehouse"}
        self.edit(
            "profiles.yml", given, given + "".join(f"        {k}: '{v}'\n" for k, v in settings.items())
        )
        with (folder / "log.txt").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("dbt_process.py")],
                cwd=folder,
                env={
                    **os.environ,
                    "PYTHONPATH": str(dbt_packages()),
                    "DO_NOT_TRACK": "1",
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def write(self, file, text):
        """Write a file of the project."""
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def edit(self, file, old, new):
        """Replace some text of a file."""
        path = self.folder / file
        text = path.read_text("utf-8")
        assert old in text, (file, old)
        path.write_text(text.replace(old, new), "utf-8")

    def tell(self, kind, command):
        """Give the process a command, and return its answer."""
        self.process.stdin.write(json.dumps({kind: command}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, (self.folder / "log.txt").read_text("utf-8")[-4000:]
        return json.loads(answer)

    def ask(self, query):
        """Return the rows of a query."""
        return self.tell("sql", query)

    def run(self, *arguments):
        """Run dbt, which must succeed. Return what it says."""
        answer = self.tell("dbt", list(arguments))
        assert answer["success"], answer["text"]
        return answer["text"]

    def refused(self, *arguments):
        """Run dbt, which must fail. Return what it says."""
        answer = self.tell("dbt", list(arguments))
        assert not answer["success"]
        return answer["text"]

    def commits(self, table="shop.requests_hourly"):
        """Count the commits of a table."""
        return len(self.ask(f"DESCRIBE HISTORY {table}"))

    def check(self, table="shop.requests_hourly", bucket="hour"):
        """Compare a roll-up with the rows of the source."""
        rolled = self.ask(
            "SELECT bucket, service, endpoint, rows, sketch_count(latency), latency_sum, sketch_max(latency) "
            f"FROM {table} ORDER BY ALL"
        )
        exact = self.ask(
            f"SELECT date_trunc('{bucket}', ts), service, endpoint, count(*), count(*), sum(latency_ms), "
            "max(latency_ms) FROM shop.requests GROUP BY ALL ORDER BY ALL"
        )
        assert rolled == exact
        assert len(rolled) > 1


def commands():
    """Return the arguments of the page's commands, in order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    return [line.split()[1:] for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return the project, after the page's first run on a source of some days."""
    project = Project(tmp_path_factory.mktemp("dbt"))
    with project.process as process:
        try:
            project.run("deps")
            project.run("debug")
            project.ask("CREATE SCHEMA shop")
            project.ask(f"CREATE TABLE {REQUESTS.format(0, 3000)}")
            project.run(*commands()[0])
            yield project
            process.stdin.close()
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_the_page_runs_and_is_right(project):
    project.check()
    exact = (
        "SELECT to_date(ts) AS day, service, count(*) AS n, "
        "percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS exact FROM shop.requests GROUP BY ALL"
    )
    days = project.ask(
        "SELECT p99, p99_bounds.low, exact, p99_bounds.high, ours.n = truth.n FROM shop.latency_daily ours "
        f"FULL OUTER JOIN ({exact}) truth USING (day, service)"
    )
    assert len(days) == 6
    for p99, low, truth, high, is_complete in days:
        assert low <= truth <= high
        assert p99 == truth
        assert is_complete
    commits = project.commits()
    project.run(*commands()[0])
    assert project.commits() == commits, "nothing was new"


def test_a_changed_config_is_refused_until_a_full_refresh(project):
    model, select = "models/requests_hourly.sql", ("--select", "requests_hourly")
    _, rebuild = commands()
    project.edit(model, "bucket='1 hour'", "bucket='1 day'")
    said = project.refused("run", *select)
    assert "CHRONOSKETCH_ROLLUP_DIFFERS" in said
    assert "1 hour" in said
    assert "1 day" in said
    project.edit(model, "time='ts'", "time='tss'")
    before = project.commits()
    assert "tss" in project.refused(*rebuild)
    assert project.commits() == before, "the old one is there"
    project.edit(model, "time='tss'", "time='ts'")
    project.run(*rebuild)
    assert project.commits() == 2, "another table: it was created, and built in a step"
    project.ask("INSERT INTO shop.requests " + ROWS.format(100, 200))
    project.run("run", *select)
    project.check(bucket="day")
    assert project.commits() == 3
    assert [row[1] for row in project.ask("SHOW TABLES IN shop LIKE 'requests_h*'")] == ["requests_hourly"]


def test_all_configs_reach_the_roll_up(project):
    project.write(
        "models/leveled.sql",
        r"""
        {{ config(materialized='sketch_rollup', meta={
            'time': 'ts', 'levels': ['1 hour', '1 day'], 'by': "replace(endpoint, '/', '\\\\') AS path",
            'values': {'latency': 'latency_ms', 'seconds': 'latency_ms / 1000'}, 'epsilon': 0.001,
            'tail': 'both', 'zone': 'Europe/Berlin', 'retention': {'1 hour': '9000 days'}}) }}
        -- a plain name
        `shop`.requests
        """,
    )
    project.run("run", "--select", "leveled")
    described = project.ask("CALL chronosketch.describe_rollup('shop.leveled')")
    assert described[0][1:10] == [
        "spark_catalog.shop.requests",
        "ts",
        "Europe/Berlin",
        ["1 hour", "1 day"],
        [r"replace(endpoint, '/', '\\') AS path"],
        {"latency": "latency_ms", "seconds": "latency_ms / 1000"},
        0.001,
        "both",
        {"1 hour": "9000 days"},
    ]


SOURCE = "{{ source('shop', 'requests') }}"
MISTAKES = {
    "no_time": (
        "values={'latency': 'latency_ms'}, bucket='1 hour'",
        SOURCE,
        "The roll-up no_time has no time. Write it into the model: "
        "config(materialized='sketch_rollup', time='ts', ...).",
    ),
    "no_values": ("time='ts', bucket='1 hour'", SOURCE, "The roll-up no_values has no values. Write it"),
    "no_bucket": (
        "time='ts', values={'latency': 'latency_ms'}",
        SOURCE,
        "has no bucket. Write it into the model: config(materialized='sketch_rollup', bucket='1 hour', ...).",
    ),
    "unnamed": (
        "time='ts', bucket='1 hour', values=['latency_ms']",
        SOURCE,
        "has values=['latency_ms']. Give each value a name: values={'latency': 'latency_ms'}.",
    ),
    "a_query": (
        "time='ts', bucket='1 hour', values={'latency': 'latency_ms'}",
        "select * from " + SOURCE,
        "The roll-up a_query has a query as its body, but a roll-up follows a table. Write the table alone",
    ),
    "no_source": (
        "time='ts', bucket='1 hour', values={'latency': 'latency_ms'}",
        "-- only this",
        "The roll-up no_source names no table to follow. Write the table alone below config(): {{ source(",
    ),
    "source_in_config": (
        "time='ts', bucket='1 hour', values={'latency': 'latency_ms'}, source='shop.requests'",
        "",
        "The roll-up source_in_config has source in its config",
    ),
    "of_parquet": (
        "time='ts', bucket='1 hour', values={'latency': 'latency_ms'}",
        "shop.files",
        "[CHRONOSKETCH_SOURCE_NOT_VERSIONED]",
    ),
}


def test_mistakes_name_the_model_and_what_to_write(project):
    project.ask("CREATE TABLE shop.files USING parquet AS " + ROWS.format(0, 10))
    for name, (config, body, _) in MISTAKES.items():
        model = f"{{{{ config(materialized='sketch_rollup', {config}) }}}}\n{body}\n"
        project.write(f"models/mistakes/{name}.sql", model)
    said = project.refused("run", "--select", "mistakes")
    assert [name for name, (_, _, message) in MISTAKES.items() if message not in said] == []
    tables = {row[1] for row in project.ask("SHOW TABLES IN shop")}
    assert not tables & set(MISTAKES)


def test_the_macros_write_what_the_page_says(project):
    rows = re.findall(r"^\| `((?:quantile|merged|sketch)\(.*\))` \| `(.+)` \|$", PAGE, re.M)
    assert len(rows) == 6
    calls = "\n".join(f"{{{{ chronosketch.{macro} }}}}" for macro, _ in rows)
    project.write("models/macros.sql", calls)
    project.run("compile", "--select", "macros")
    (compiled,) = (project.folder / "target" / "compiled").rglob("macros.sql")
    assert compiled.read_text("utf-8").splitlines() == [sql for _, sql in rows]
    project.write("models/macros.sql", "{{ chronosketch.sketch('latency_ms') }}")
    without = "{chronosketch_epsilon: null, chronosketch_tail: null}"
    project.run("compile", "--select", "macros", "--vars", without)
    assert f"Without them it writes `{compiled.read_text('utf-8').strip()}`" in PAGE


def test_a_source_that_dbt_replaces_is_refused(project):
    # as dbt's own materialization of tables does at every run
    project.ask(f"CREATE OR REPLACE TABLE {REQUESTS.format(0, 100)}")
    said = project.refused("run", "--select", "requests_hourly")
    assert "[CHRONOSKETCH_ROLLUP_SOURCE_REPLACED]" in said
