"""The compatibility matrix: the combinations of a run, and the results it keeps from earlier runs."""

import importlib.util
import sys

import pytest


@pytest.fixture(scope="module")
def matrix(top):
    spec = importlib.util.spec_from_file_location("matrix", top / "make" / "matrix.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_combination_is_in_the_matrix(matrix):
    asked = matrix.cells(False, {})
    assert {(cell.spark, cell.java, cell.mode) for cell in asked} == {
        (spark, java, mode) for spark in matrix.SPARKS for java in matrix.JAVAS for mode in matrix.MODES
    }
    assert {(cell.spark, cell.python) for cell in asked} == {
        (spark, python) for spark in matrix.SPARKS for python in matrix.PYTHONS
    }
    assert set(asked) < set(matrix.cells(True, {}))
    only = matrix.cells(True, {"spark": "4.3", "python": "3.13", "mode": "connect"})
    assert [cell[1:] for cell in only] == [(java, "3.13", "connect") for java in matrix.JAVAS]


def test_a_page_is_read_as_it_was_written(matrix):
    outcomes = {
        matrix.Cell("4.3.0", "17", "3.11", "classic"): matrix.PASSED,
        matrix.Cell("4.0.5", "21", "3.11", "connect"): "not here: Java 21",
        matrix.Cell("4.0.5", "25", "3.13", "classic"): "failed",
    }
    page = matrix.write_page(outcomes, "1.2.3")
    assert matrix.read_page(page, "1.2.3") == outcomes
    assert matrix.read_page(page, "1.2.4") == {}
    rows = [line for line in page.splitlines() if line.startswith("| 4")]
    assert rows == sorted(rows)
    assert len(rows) == len({cell[:3] for cell in matrix.cells(False, {})}) + 1


def test_this_python_is_found(matrix):
    ours = "{}.{}".format(*sys.version_info)
    found = matrix.pythons()
    assert set(found) <= set(matrix.PYTHONS)
    assert (ours in found) == (ours in matrix.PYTHONS)


def test_a_java_is_named_by_its_major_version(matrix):
    found = matrix.javas()
    assert found
    assert all(number.isdigit() and (home / "bin" / "java").exists() for number, home in found.items())


def test_the_lines_of_the_smoke_suite_are_in_the_table(matrix, top):
    lines = (top / "tests" / "smoke" / "conftest.py").read_text()
    assert all(f'"{spark}"' in lines for spark in (matrix.SPARKS[0], matrix.SPARKS[-1]))
    assert f"pyspark=={matrix.SPARKS[2]}\n" in (top / "requirements-dev.txt").read_text()
