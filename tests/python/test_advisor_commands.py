"""`chronosketch calibrate` and `chronosketch advise`: their files, and one message for each mistake."""

import builtins
import json
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import advisor_cells as made_up
import pytest
from chronosketch.advisor import commands
from chronosketch.advisor.approaches import APPROACHES
from chronosketch.advisor.calibration import running
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.cost_model import CostModel
from chronosketch.advisor.guidelines import GUIDELINES
from chronosketch.advisor.terms import TERMS
from chronosketch.advisor.workloads import AGGREGATES, Workload
from chronosketch.commands import app
from chronosketch.errors import ChronosketchError
from typer.testing import CliRunner

pytestmark = pytest.mark.classic

GOOD = json.dumps(made_up.records()[0])


@pytest.fixture(scope="module")
def calibration(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibration")
    measured = folder / "measured.jsonl"
    measured.write_text("\n".join(made_up.lines(noise=0.03)) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["calibrate", "--from", str(measured), "--out", str(folder / "out")])
    assert done.exit_code == 0, done.output
    return SimpleNamespace(measured=measured, out=folder / "out", message=done.stdout)


@pytest.fixture
def ask(calibration):
    def _ask(*arguments, window=("--retention-rows", "72000", "--slide-rows", "200")):
        model = calibration.out / "cost-model.json"
        return CliRunner().invoke(app, ["advise", *arguments, *window, "--model", str(model)])

    return _ask


@pytest.fixture
def jvm(tmp_path, monkeypatch):
    """Return a function that installs a fake java, which prints a text."""

    def _jvm(text, error="", code=0):
        java = tmp_path / "jdk" / "bin" / "java"
        java.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "text").write_text(text, encoding="utf-8")
        program = ("#!/bin/sh", f'echo "$@" > {tmp_path}/arguments', f"cat {tmp_path}/text")
        java.write_text("\n".join([*program, f'echo "{error}" >&2', f"exit {code}", ""]))
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
        monkeypatch.setattr(running, "class_path", lambda: "the.jar")
        return tmp_path / "out"

    return _jvm


def test_calibrate_prints_prediction_errors(calibration):
    lines = calibration.message.splitlines()
    assert sum("%" in line for line in lines) == len(made_up.COSTS) + 1
    assert re.search(r"\d+ of \d+ choices at workloads kept out are the best", calibration.message)


def test_the_report_is_one_self_contained_page(calibration):
    page = (calibration.out / "report.html").read_text("utf-8")
    assert not re.search(r"(src|href)=|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    pictures = re.findall(r"<svg.*?</svg>", page)
    assert len(pictures) == 2 * 4 * len(made_up.COSTS)
    for picture in pictures:
        ElementTree.fromstring(picture)
        assert "NaN" not in picture
        assert "fill=" not in picture
    for text in ("Breusch–Pagan", "Durbin–Watson", "Jarque–Bera", "RMSE", "MAE", "made up", "std. error"):
        assert text in page, text


def test_the_same_measurements_give_the_same_files(calibration, tmp_path):
    again = ["calibrate", "--from", str(calibration.measured), "--out", str(tmp_path)]
    assert CliRunner().invoke(app, again).exit_code == 0
    for name in ("cost-model.json", "report.html"):
        assert (tmp_path / name).read_bytes() == (calibration.out / name).read_bytes()


def test_calibrate_measures_fits_and_stores(jvm):
    progress = json.dumps({"kind": "progress", "done": 1, "of": 2, "cell": "variance panes"})
    out = jvm("\n".join(["a note of the JVM", *made_up.lines()[:200], progress, ""]))
    done = CliRunner().invoke(
        app,
        ["calibrate", "--no-spark", "--grid", "small", "--seconds", "60", "--seed", "7", "--out", str(out)],
    )
    assert done.exit_code == 0, done.output
    kept = (out / "measurements.jsonl").read_text("utf-8").splitlines()
    assert kept == made_up.lines()[:200]
    arguments = (out.parent / "arguments").read_text().split()
    assert arguments[2:] == [
        *("-cp", "the.jar", "chronosketch.advisor.Calibration"),
        *("--grid", "small", "--seconds", "60", "--seed", "7"),
    ]
    assert json.loads((out / "cost-model.json").read_text("utf-8"))["machine"]["cpu"] == "made up"


def test_calibrate_adds_measurements_on_spark(jvm, monkeypatch):
    def measured(file, grid, seconds, seed, progress):
        assert (grid, seconds, seed) == ("small", 60, 7)
        cells = (
            {
                **json.loads(GOOD),
                "place": "spark",
                "aggregate": "frame",
                "approach": "cmqs",
                "retention": 1000 * rows,
                "slide": 1,
                "epsilon": epsilon,
                "update_ns": 100 * rows / epsilon,
            }
            for rows in (1, 4, 16)
            for epsilon in (0.1, 0.01)
        )
        with file.open("a", encoding="utf-8") as kept:
            kept.writelines(json.dumps(cell) + "\n" for cell in cells)
        progress(6, 6, "done")

    monkeypatch.setattr(commands, "measure_frames", measured)
    out = jvm("\n".join([*made_up.lines(), ""]))
    arguments = ["calibrate", "--grid", "small", "--seconds", "60", "--seed", "7", "--out", str(out)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    model = CostModel.read((out / "cost-model.json").read_text("utf-8"), "m")
    predicted = model.models_of("frame")["cmqs"].responses["time"].predict(Workload(4_000, 1, 0.03, 1e-4))
    assert predicted.value == pytest.approx(100 * 4 / 0.03, rel=0.5)
    # a frame is not an aggregate that advice can be asked for
    assert "frame" not in AGGREGATES


def test_a_failed_jvm_is_one_message_and_keeps_its_measurements(jvm):
    out = jvm("\n".join([*made_up.lines()[:50], ""]), "java.lang.OutOfMemoryError: Java heap space", 3)
    done = CliRunner().invoke(app, ["calibrate", "--out", str(out)])
    assert done.exit_code == 1
    assert "ended early: java.lang.OutOfMemoryError: Java heap space. What it measured is in" in done.stderr
    assert "Traceback" not in done.output
    assert len((out / "measurements.jsonl").read_text("utf-8").splitlines()) == 50


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("java.lang.UnsupportedClassVersionError: x", "this Java is too old, install a JDK 17"),
        ("", "it gave no reason, and exit code 9"),
    ],
)
def test_the_reason_of_a_failed_jvm_is_shown(jvm, error, message):
    done = CliRunner().invoke(app, ["calibrate", "--out", str(jvm("", error, 9))])
    assert done.exit_code == 1
    assert message in done.stderr


def test_no_java_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "class_path", lambda: "the.jar")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(app, ["calibrate", "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    assert done.stderr.strip().startswith("Calibration needs Java: install a JDK 17 or newer")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(ChronosketchError, match="which has no bin/java"):
        running.java()


def test_the_class_path_has_our_jar_and_spark(monkeypatch):
    monkeypatch.setattr(running, "jar_path", lambda: Path("/ours.jar"))
    spark = SimpleNamespace(submodule_search_locations=["/site/pyspark"])
    monkeypatch.setattr(running, "find_spec", lambda name: spark)
    assert running.class_path() == os.pathsep.join(["/ours.jar", "/site/pyspark/jars/*"])
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    with pytest.raises(ChronosketchError, match="pyspark is not installed"):
        running.class_path()


def changed(**fields):
    return json.dumps({**json.loads(GOOD), **fields})


def without(name):
    return json.dumps({key: value for key, value in json.loads(GOOD).items() if key != name})


HOSTILE = {
    GOOD[:60]: "Line 2 of m.jsonl is no JSON",
    "[1]": "Line 2 of m.jsonl has no kind",
    '{"cell": 1}': "has no kind",
    '{"kind": "spell"}': "is of kind 'spell'",
    changed(update_ns=float("nan")): "has the update_ns nan",
    changed(query_ns=float("inf")): "has the query_ns inf",
    changed(query_ns="4"): "has the query_ns '4'",
    changed(bytes=True): "has the bytes True",
    changed(bytes=0): "was not measured",
    changed(update_ns=-1): "a cost must not be below 0",
    changed(slide=0): "it must be a number of rows",
    changed(epsilon=2): "has the epsilon 2.0",
    changed(approach=""): "has the approach ''",
    changed(promise="hope"): "has the promise 'hope'",
    changed(aggregate=None): "has the aggregate None",
    without("bytes"): "is a cell without 'bytes'",
    without("retention"): "is a cell without 'retention'",
    "[" * 100_000: "is no JSON",
}


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_line_is_named(line):
    with pytest.raises(ChronosketchError) as raised:
        read_measurements([GOOD, line], "m.jsonl")
    assert HOSTILE[line] in str(raised.value)
    assert len(str(raised.value)) < 400


def test_optional_fields_may_be_missing():
    line = json.dumps(
        {k: v for k, v in json.loads(GOOD).items() if k not in ("error", "epsilon", "delta", "place")}
    )
    (cell,) = read_measurements(["", line, '{"kind": "progress"}'], "m.jsonl").cells
    assert (cell.error, cell.workload.epsilon, cell.place) == (None, 0.0, "core")


MISTAKES = {
    "gone.jsonl does not exist": ["--from", "gone.jsonl"],
    "empty.jsonl holds no cell": ["--from", "empty.jsonl"],
    "Nothing to fit (expiration_list for variance, too few cells: 1 workloads)": ["--from", "one.jsonl"],
    "grid is 'huge': give one of small, default, large": ["--grid", "huge"],
    "empty.jsonl cannot be made": ["--from", "one.jsonl", "--out", "empty.jsonl"],
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_of_calibrate_is_one_message(tmp_path, monkeypatch, message):
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").touch()
    Path("one.jsonl").write_text(f"{GOOD}\n{GOOD}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["calibrate", *MISTAKES[message]])
    assert done.exit_code == 1
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_advise_prints_a_table(ask):
    done = ask("quantile", "--epsilon", "0.01", "--memory", "64m")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert lines[0][:4] == ["quantile", "of", "72,000", "rows,"]
    assert [line[0] for line in lines[3:6]] == ["1", "2", "3"]
    assert "no delta is given" in done.stdout
    assert done.stdout.splitlines()[-2].startswith("SELECT time, approx_quantile(value, 0.99, 0.01)")


def test_the_table_of_advise_fits_a_terminal(ask):
    done = ask("quantile", "--epsilon", "0.01", "--delta", "1e-4", "--memory", "64m")
    table = done.stdout.split("Best because")[0]
    assert max(len(line) for line in table.splitlines()) <= 80, table


@pytest.mark.parametrize("name", ["plot.svg", "plot.png"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_advise_draws(ask, tmp_path, name, theme):
    file = tmp_path / "deep" / name
    window = ("quantile", "--epsilon", "0.01", "--plot", str(file), "--theme", theme)
    done = ask(*window, "--reference", "block_sort")
    assert done.exit_code == 0, done.output
    first = file.read_bytes()
    assert len(first) > 10_000
    ask(*window, "--reference", "block_sort")
    assert file.read_bytes() == first
    ask(*window)
    assert file.read_bytes() != first


ADVISE_MISTAKES = {
    "aggregate is 'p99'": ["p99"],
    "plot.gif is neither .svg nor .png": ["quantile", "--plot", "plot.gif"],
    "reference is 'nothing'": ["quantile", "--plot", "plot.svg", "--reference", "nothing"],
    "theme is 'blue'": ["quantile", "--plot", "plot.svg", "--theme", "blue"],
    "retention and retention_rows: both": ["quantile", "--retention", "1 hour"],
}


@pytest.mark.parametrize("message", ADVISE_MISTAKES)
def test_a_mistake_of_advise_is_one_message(ask, message):
    done = ask(*ADVISE_MISTAKES[message])
    assert done.exit_code == 1
    assert message in done.stderr
    assert "Traceback" not in done.output


PAGE = Path(__file__).resolve().parents[2] / "docs" / "advisor.md"


def blocks_of_the_page(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_sql_of_the_page_gets_the_advice_of_its_python(spark, capsys):
    (python,), (sql,) = blocks_of_the_page("python"), blocks_of_the_page("sql")
    names = {}
    exec(compile(python, PAGE.name, "exec"), names)
    assert "Arasu-Manku" in capsys.readouterr().out
    rows = spark.sql(sql.strip().removesuffix(";")).collect()
    assert len(rows) == len(list(names["advice"])) > 5
    for row, choice in zip(rows, names["advice"], strict=True):
        expected = (choice.rank, choice.approach, choice.sql, choice.excluded)
        assert (row.rank, row.approach, row.sql, row.excluded) == expected
        for value, cost in ((row.ns_a_slide, choice.time), (row.bytes, choice.bytes)):
            assert value == (None if cost is None else pytest.approx(cost.value, rel=1e-9))


def test_the_page_lists_all_options(calibration):
    page = PAGE.read_text("utf-8")
    for term in TERMS.values():
        assert f"| `{term.name}` | {term.formula} |" in page
    for guideline in GUIDELINES:
        assert f"| {guideline.name} | {guideline.section} | {guideline.text} |" in page
    for approach in APPROACHES.values():
        assert f"| `{approach.name}`" in page
    stored = json.loads((calibration.out / "cost-model.json").read_text("utf-8"))
    model = stored["models"][0]
    for name in (*stored, *model, *model["responses"], *model["responses"]["time"]):
        assert f"`{name}`" in page, name


def test_a_missing_library_is_named(ask, monkeypatch, tmp_path):
    whole = builtins.__import__

    def without_matplotlib(name, *rest):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return whole(name, *rest)

    monkeypatch.delitem(__import__("sys").modules, "chronosketch.advisor.plots", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    done = ask("quantile", "--plot", str(tmp_path / "p.svg"))
    assert done.exit_code == 1
    assert "This needs matplotlib: pip install 'matplotlib>=3.8' " in done.stderr
