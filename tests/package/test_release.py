"""Install the shipped package like a new user: by pip alone, and by Maven coordinates."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import chronosketch as cs
import pyspark
import pytest

pytestmark = pytest.mark.slow

COORDINATES = f"io.github.chronosketch:chronosketch-spark_2.13:{cs.__version__}"
JAR = f"chronosketch-spark_2.13-{cs.__version__}.jar"
# The namespace of a POM's elements.
POM = {"m": "http://maven.apache.org/POM/4.0.0"}


@pytest.fixture
def fresh(tmp_path):
    """Create an environment that has only pip."""
    folder = tmp_path / "fresh"
    venv.create(folder, with_pip=True)
    return folder / "bin"


def only(files):
    (file,) = files
    return file


def built(top, project, suffix):
    return only((top / "target" / "dist").glob(f"{project}-*{suffix}"))


def installed_jar(fresh):
    return only(fresh.parent.glob(f"lib/*/site-packages/chronosketch_spark/jars/{JAR}"))


def test_the_wheels_install_with_pip_alone(top, fresh, run):
    python, jar = (built(top, project, ".whl") for project in ("chronosketch", "chronosketch_spark"))
    done = run(fresh / "python", "-m", "pip", "install", python)
    assert done.returncode == 0, done.stderr
    message = run(fresh / "chronosketch", "--version")
    assert (message.returncode, message.stdout) == (1, "")
    command = "pip install 'rich>=13' 'typer>=0.12'"
    assert message.stderr == f"The command line needs typer: {command}\n"
    # each message has the command that mends it
    assert run("sh", "-c", f"{fresh / 'python'} -m {command}").returncode == 0
    message = run(fresh / "chronosketch", "sql", "-e", "SELECT 1")
    command = message.stderr.removeprefix("pyspark is not installed: ").strip()
    assert command == "pip install 'pyspark<5,>=4.0'"
    assert run("sh", "-c", f"{fresh / 'python'} -m {command}").returncode == 0
    message = run(fresh / "chronosketch", "sql", "-e", "SELECT 1")
    assert message.stderr.startswith(
        "The jar is not installed. It is in the project chronosketch-spark: run "
    )
    done = run(fresh / "python", "-m", "pip", "install", f"{python}[cli,spark]", jar)
    assert done.returncode == 0, done.stderr
    assert installed_jar(fresh).read_bytes() == (top / "target" / "jar" / JAR).read_bytes()
    message = run(
        fresh / "chronosketch", "sql", "-e", "SELECT approx_quantile(id, 0.5) AS p FROM range(1, 101)"
    )
    assert message.stdout.split()[-1] == "50", message.stderr


def test_python_alone_installs_from_its_sources_without_a_jdk(top, fresh, run):
    sdist = built(top, "chronosketch", ".tar.gz")
    done = run(fresh / "python", "-m", "pip", "install", sdist, JAVA_HOME="/nowhere", PATH="/usr/bin:/bin")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    program = "from chronosketch.sketch import Sketch; print(Sketch.build([1, 2, 3]).quantile(0.5))"
    assert run(fresh / "python", "-c", program).stdout == "2\n"


def test_the_sources_of_the_jar_install_with_a_jdk_and_make_the_same_jar(top, fresh, run):
    sdist = built(top, "chronosketch_spark", ".tar.gz")
    done = run(fresh / "python", "-m", "pip", "install", sdist, seconds=1800)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert installed_jar(fresh).read_bytes() == (top / "target" / "jar" / JAR).read_bytes()


@pytest.mark.parametrize("project", ["chronosketch", "chronosketch_spark"])
def test_source_distributions_have_sources_only(top, project):
    with tarfile.open(built(top, project, ".tar.gz")) as archive:
        names = archive.getnames()
    assert [name for name in names if name.endswith((".jar", ".class", ".pyc"))] == []
    scala = [name for name in names if name.endswith((".scala", ".sbt"))]
    assert bool(scala) == (project == "chronosketch_spark")


def test_the_command_of_the_readme_installs_both_from_a_clone(top, fresh, run, tmp_path):
    readme = (top / "README.md").read_text("utf-8")
    command = only(re.findall(r"^(pip install \./python-spark [^#\n]*)", readme, flags=re.MULTILINE)).strip()
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", top, clone], check=True)
    shutil.copytree(top / "target" / "jar", clone / "target" / "jar")
    for jar in (clone / "target" / "jar").iterdir():
        jar.touch()
    done = run("sh", "-c", f"cd {clone} && {fresh / 'python'} -m {command}", seconds=1800)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    program = "import chronosketch as cs; print(cs.check_installed(cs.session().getOrCreate()))"
    assert run(fresh / "python", "-c", program).stdout == f"{cs.__version__}\n"


@pytest.fixture(scope="module")
def repository(top):
    return top / "target" / "m2"


def test_the_pom_has_no_dependencies(repository, top):
    folder = repository / "io" / "github" / "chronosketch" / "chronosketch-spark_2.13" / cs.__version__
    assert (folder / JAR).read_bytes() == (top / "target" / "jar" / JAR).read_bytes()
    with zipfile.ZipFile(folder / JAR.replace(".jar", "-sources.jar")) as sources:
        assert "chronosketch/spark/ChronosketchExtensions.scala" in sources.namelist()
    pom = ElementTree.parse(folder / JAR.replace(".jar", ".pom")).getroot()
    assert pom.find("m:dependencies", POM) is None
    assert pom.find("m:parent", POM) is None
    found = [pom.findtext(f"m:{tag}", namespaces=POM) for tag in ("groupId", "artifactId", "version")]
    assert ":".join(found) == COORDINATES
    assert [one.text for one in pom.iterfind("m:licenses/m:license/m:name", POM)] == ["Apache-2.0"]
    assert (folder / JAR.replace(".jar", ".jar.sha1")).is_file()


def test_the_testkit_has_tests_and_stored_sketches(repository, top):
    name = "chronosketch-testkit_2.13"
    folder = repository / "io" / "github" / "chronosketch" / name / cs.__version__
    with zipfile.ZipFile(folder / f"{name}-{cs.__version__}.jar") as jar:
        names = set(jar.namelist())
    golden = top / "tests" / "golden"
    assert {f"golden/{file.relative_to(golden)}" for file in golden.rglob("*.bin")} <= names
    assert {f"chronosketch/{suite}.class" for suite in ("codec/GoldenSuite", "summary/SummaryLaws")} <= names
    pom = ElementTree.parse(folder / f"{name}-{cs.__version__}.pom").getroot()
    needed = {
        one.findtext("m:artifactId", namespaces=POM)
        for one in pom.iterfind("m:dependencies/m:dependency", POM)
    }
    assert {"chronosketch-spark_2.13", "munit_2.13", "munit-scalacheck_2.13"} <= needed


def test_the_folder_of_a_release_has_what_was_built(top, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(top / "make")
    release_folder = importlib.import_module("release_folder")
    (tmp_path / "target").mkdir()
    for name in ("CHANGELOG.md", "docs", "target/dist", "target/jar", "target/m2", "target/sbom"):
        (tmp_path / name).symlink_to(top / name)
    folder = release_folder.assemble(tmp_path, cs.__version__, "c0ffee", True)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
    assert {file.name for file in (folder / "dist").iterdir()} == {
        file.name for file in (top / "target" / "dist").iterdir()
    }
    bill = json.loads((folder / "sbom" / "chronosketch.cdx.json").read_text())
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/chronosketch@{cs.__version__}"
    for pom in folder.rglob("*.pom"):
        ends = (".jar", "-sources.jar", "-javadoc.jar")
        files = [
            pom.with_name(f"{pom.stem}{end}{digest}") for end in ends for digest in ("", ".md5", ".sha1")
        ]
        assert [file.name for file in files if not file.is_file()] == []


PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
print(spark.sql("SELECT approx_quantile(id, 0.5), chronosketch_version() FROM range(1, 101)").first())
"""
TYPED = """
import chronosketch.spark.functions._
import org.apache.spark.sql.functions.col
println("p50 = " + spark.range(1, 101).agg(approx_quantile(col("id"), 0.5)).head.get(0))
:quit
"""


@pytest.mark.parametrize("start", ["pyspark", "spark-shell"])
def test_packages_find_the_jar_in_a_maven_repository(repository, tmp_path, monkeypatch, start):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    home = Path(pyspark.__file__).parent
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    options = ["--master", "local[1]", "--packages", COORDINATES, "--repositories", repository.as_uri()]
    options += ["--conf", f"spark.jars.ivy={tmp_path / 'ivy'}", "--conf", "spark.ui.enabled=false"]
    script = home / "bin" / ("spark-submit" if start == "pyspark" else "spark-shell")
    done = subprocess.run(
        [script, *options, *([program] if start == "pyspark" else [])],
        input=TYPED,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer = f"50, chronosketch_version()='{cs.__version__}'" if start == "pyspark" else "p50 = 50"
    assert answer in done.stdout, done.stdout + done.stderr
