"""Reading sketches needs nothing but Python, and imports nothing but the module of its family."""

import subprocess
import sys

import golden
from chronosketch.sketch import Sketch

PROGRAM = """
import sys

for name in ("pyspark", "numpy", "pandas", "pyarrow", "py4j", "typing_extensions"):
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
    assert at_top == {"chronosketch.errors", "chronosketch.sketch"}
