"""Reading sketches needs nothing but Python and numpy, and imports no module but those of its family."""

import subprocess
import sys
import zipfile
from pathlib import Path

import chronosketch
import golden
from chronosketch.sketch import Sketch

PROGRAM = """
import sys

for name in ("pyspark", "pandas", "pyarrow", "py4j", "typing_extensions"):
    sys.modules[name] = None
from chronosketch.sketch import Sketch, ChronosketchError

for data in map(bytes.fromhex, sys.stdin.read().split()):
    sketch = Sketch.from_bytes(data)
    assert sketch.to_bytes() == data
    sketch.describe()
try:
    Sketch.from_bytes(b"CHRS")
except ChronosketchError as error:
    print(error)
"""


def test_nothing_else_is_imported():
    given = "\n".join(data.hex() for data in golden.stored().values())
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("[CHRONOSKETCH_NOT_A_SKETCH] Sketch.from_bytes was given 4 bytes")


READ_ONE = """
import sys

from chronosketch.sketch import Sketch

print(Sketch.from_bytes(bytes.fromhex(sys.stdin.read())).quantile(0.5))
print(*sorted(name for name in sys.modules if name.startswith("chronosketch.")))
"""


def test_reading_a_sketch_imports_no_other_family_and_no_spark_code():
    given = Sketch.build([3, 1, 2]).to_bytes().hex()
    done = subprocess.run([sys.executable, "-c", READ_ONE], input=given, capture_output=True, text=True)
    answer, names = done.stdout.splitlines()
    assert answer == "2"
    packages = {name.rpartition(".")[0] for name in names.split()}
    assert packages == {
        "chronosketch",
        "chronosketch.sketch",
        "chronosketch.sketch.codec",
        "chronosketch.sketch.domain",
        "chronosketch.sketch.quantile",
    }
    at_top = {name for name in names.split() if name.count(".") == 1}
    assert at_top == {"chronosketch.errors", "chronosketch.installed", "chronosketch.sketch"}
    assert len(names.split()) <= 25


def test_a_zip_of_the_sources_needs_no_installation(tmp_path):
    """Spark sends the package to its workers so, with --py-files."""
    top = Path(chronosketch.__file__).parent
    with zipfile.ZipFile(tmp_path / "sources.zip", "w") as archive:
        for path in top.rglob("*.py"):
            archive.write(path, Path("chronosketch", path.relative_to(top)))
    program = f"""
import sys

sys.path[:] = [{str(tmp_path / "sources.zip")!r}, *(one for one in sys.path if "chronosketch" not in one)]
import importlib.metadata

def version(name):
    raise importlib.metadata.PackageNotFoundError(name)

importlib.metadata.version = version
for name in ("py4j", "pyspark", "pyarrow", "pandas"):
    sys.modules[name] = None
import chronosketch
from chronosketch.sketch import ChronosketchError, Sketch

assert ".zip" in chronosketch.__file__
print(Sketch.from_bytes(Sketch.build([3, 1, 2]).to_bytes()).quantile(0.5), chronosketch.__version__)
try:
    Sketch.from_bytes(b"CHRS")
except ChronosketchError as error:
    print(error.condition)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2 of unknown number\nCHRONOSKETCH_NOT_A_SKETCH\n", "")


WITH_ARROW_ALONE = """
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in ("pyspark", "pandas", "polars", "py4j"):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Absent())
from datetime import date
from decimal import Decimal

from chronosketch import arrow

values = {
    "tinyint": [3, 1],
    "bigint": [3, 1],
    "float": [3.0, 1.0],
    "double": [3.0, 1.0],
    "decimal(9, 2)": [Decimal(3), Decimal(1)],
    "date": [date(1970, 1, 3), date(1970, 1, 1)],
}
for name, some in values.items():
    built = arrow.build_by([0, 0, None], [*some, None], type=name)["sketch"]
    print(name, *arrow.quantile(built, [0, 1], type=name).to_pylist()[0])
    for ask in (arrow.min, arrow.max):
        ask(built, name)
    arrow.bounds(built, 0.5, name)
    for ask in (arrow.count, arrow.rank_error, arrow.is_sketch, arrow.merge):
        ask(built)
    arrow.rank(built, some[0])
    arrow.merge_by([1, 1], built)
arrow.to_kll(arrow.build_by(["a"], [2.5])["sketch"])
"""


def test_columns_need_no_pandas():
    done = subprocess.run([sys.executable, "-c", WITH_ARROW_ALONE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[2:4] == ["float 1.0 3.0", "double 1.0 3.0"]


WITHOUT_JVM = """
import sys

# what the package pyspark-client leaves out
for name in ("py4j", "pyspark.core", "pyspark.sql.classic"):
    sys.modules[name] = None
from importlib import import_module

from pyspark.util import is_remote_only

assert is_remote_only()
import chronosketch as cs

for name in cs.__all__:
    getattr(cs, name)
for name in ("arrow", "cli", "columns", "commands", "functions", "history", "sketch", "storage"):
    import_module(f"chronosketch.{name}")
"""


def test_everything_can_be_imported_with_the_client_of_pyspark_alone():
    done = subprocess.run([sys.executable, "-c", WITHOUT_JVM], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_what_users_call_is_public():
    seen = {name for name in dir(Sketch.build([1])) if not name.startswith("_")}
    questions = {
        "bounds",
        "cdf",
        "cdf_bounds",
        "count",
        "count_bounds",
        "describe",
        "max",
        "min",
        "pmf",
        "quantile",
        "rank",
    }
    questions |= {"rank_bounds", "rank_error", "is_empty", "confidence", "epsilon", "value_type", "to_kll"}
    whole = {"build", "cast", "from_bytes", "merge", "merge_all", "to_bytes", "to_kll"}
    # what its family is, and how its bytes are read
    family = {"aggregate", "domain", "family", "header", "number", "parameters", "profile", "read", "tuples"}
    assert seen == questions | whole | family | {"write"}
