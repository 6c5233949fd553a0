"""`make` and `./sbt` report what is missing in one sentence, without a stack trace."""

import shutil

import pytest


@pytest.fixture
def program(tmp_path):
    """Return a function that creates a program from a line of shell, and returns its folder."""

    def _program(name, script):
        folder = tmp_path / "made" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        return folder

    return _program


@pytest.fixture
def bare_path(tmp_path):
    """Return a PATH with the shell's own programs, but without Java, Python and sbt."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for name in ("sh", "sed", "head", "dirname", "ls", "mkdir", "mktemp", "rm", "mv", "grep"):
        (folder / name).symlink_to(shutil.which(name))
    return folder


def test_no_java(run, top, bare_path):
    done = run(top / "sbt", "projects", PATH=str(bare_path), JAVA_HOME="")
    assert done.returncode == 1
    assert done.stderr == (
        "No Java at 'java': install a JDK 17 or newer, then put its java on PATH or set JAVA_HOME.\n"
    )


@pytest.mark.parametrize("version", ["1.8.0_292", "11.0.2", "16"])
def test_java_too_old(run, top, program, version):
    jdk = program("java", f"echo 'openjdk version \"{version}\" 2020-01-01' >&2").parent
    done = run(top / "sbt", "projects", JAVA_HOME=str(jdk))
    assert done.returncode == 1
    assert done.stderr == f"Java {version} is too old: install a JDK 17 or newer, then set JAVA_HOME to it.\n"


def test_no_pyspark_to_fetch_sbt_with(run, top, bare_path, program, tmp_path):
    jdk = program("java", "echo 'openjdk version \"17.0.1\"' >&2").parent
    alone = tmp_path / "alone"
    (alone / "project").mkdir(parents=True)
    (alone / "make").mkdir()
    for name in ("sbt", "make/java", "project/build.properties"):
        shutil.copy(top / name, alone / name)
    done = run(
        alone / "sbt",
        "projects",
        PATH=str(bare_path),
        JAVA_HOME=str(jdk),
        CHRONOSKETCH_PYTHON="",
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert done.returncode == 1
    assert done.stderr == (
        "./sbt needs pyspark to fetch sbt with: "
        "run 'make jar', or set CHRONOSKETCH_PYTHON to a Python that has pyspark.\n"
    )


def test_no_network_to_fetch_sbt_over(run, top, program, tmp_path, bare_path):
    # a java that prints its version, and an Ivy that downloads nothing
    jdk = program(
        "java", 'case "$1" in -version) echo \'openjdk version "21"\' >&2;; *) exit 1;; esac'
    ).parent
    home = tmp_path / "pyspark"
    (home / "jars").mkdir(parents=True)
    (home / "jars" / "ivy-2.5.3.jar").touch()
    python = program("python", f"echo {home}") / "python"
    done = run(
        top / "sbt",
        "projects",
        PATH=str(bare_path),
        JAVA_HOME=str(jdk),
        CHRONOSKETCH_PYTHON=str(python),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Could not fetch sbt-launch 1.12.0: check the network, or install sbt")
    assert done.stderr.count("\n") == 1


def test_python_too_old(run, top, program):
    python = program("python3", 'case "$2" in *print*) echo 3.8;; *) exit 1;; esac') / "python3"
    done = run("sh", top / "make" / "python", python)
    assert done.returncode == 1
    assert "Python 3.8" in done.stderr
    assert "too old: install Python 3.10 or newer" in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_python(run, top):
    done = run("sh", top / "make" / "python", "python9")
    assert done.returncode == 1
    assert done.stderr == (
        "No Python at 'python9': install Python 3.10 or newer, or say where it is: make PYTHON=python3.12.\n"
    )


def test_a_network_failure_is_one_sentence(run, top):
    offline = "echo 'a page of it'; echo 'java.net.UnknownHostException: example'; exit 3"
    done = run("sh", top / "make" / "quietly", "Fetching things", "sh", "-c", offline)
    assert done.returncode == 3
    assert "a page of it" not in done.stdout + done.stderr
    assert done.stderr.startswith("Fetching things needs the network: check the connection")


def test_any_other_failure_shows_its_reason(run, top):
    done = run("sh", top / "make" / "quietly", "Doing things", "sh", "-c", "echo the reason; exit 4")
    assert done.returncode == 4
    assert "the reason" in done.stdout
    assert done.stderr.startswith("Doing things failed")


def test_a_failed_jvm_test_is_shown_last(run, top, tmp_path):
    message = [
        "chronosketch.OneSuite:",
        "  + good 0.1s",
        "\033[31m==> X chronosketch.OneSuite.bad\033[0m  0.2s values differ",
        "=> Obtained",
        "    at munit.Assertions",
        "    at chronosketch.OneSuite",
        "  + good too 0.1s",
        *["noise"] * 300,
    ]
    (tmp_path / "message.txt").write_text("\n".join(message) + "\n")
    done = run("sh", top / "make" / "quietly", "Testing", "sh", "-c", "cat message.txt; exit 1")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == [
        "noise",
        "==> X chronosketch.OneSuite.bad  0.2s values differ",
        "=> Obtained",
        "    at chronosketch.OneSuite",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "\033[33mWARN WindowExec: no partition",
        "ERROR Executor: Exception in task 0.0",
        "ERROR ShuffleBlockFetcherIterator: Error occurred while fetching local blocks, disk is full",
        "WARNING: of java.util.logging",
        'Exception in thread "main"',
        "\tat org.apache.spark.sql.classic.Dataset.collect(Dataset.scala:1)",
        "[warn] of sbt",
    ],
)
def test_the_log_of_green_tests_is_refused_if_it_has_a_warning(run, top, tmp_path, line):
    interrupted = "ERROR ShuffleBlockFetcherIterator: Error occurred while fetching local blocks, null"
    (tmp_path / "good.log").write_text(f"[info] done\n  + WARN and ERROR in a name 0.1s\n{interrupted}\n")
    assert run("sh", top / "make" / "quiet-log", "good.log").returncode == 0
    (tmp_path / "bad.log").write_text(f"  + good 0.1s\n{line}\n")
    done = run("sh", top / "make" / "quiet-log", "bad.log")
    assert done.returncode == 1
    assert done.stdout.startswith("2:")
    assert "1 lines of warnings" in done.stderr
