"""Reading sketches needs nothing but Python."""

import subprocess
import sys

import golden

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
