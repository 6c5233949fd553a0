"""Python writes the KLL sketches of the golden files as the JVM does, byte for byte."""

import golden
import pytest
from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch
from chronosketch.sketch.answering import Ranked

FOLDER = golden.FOLDER.parent / "kll"


@pytest.mark.parametrize("name", golden.stored())
def test_kll_sketches_have_the_same_bytes_as_in_the_jvm(name):
    sketch = Sketch.from_bytes(golden.stored()[name])
    for k, file in ((None, f"{name}.bin"), (20, f"{name}_20.bin")):
        path = FOLDER / file
        if path.exists():
            assert sketch.to_kll(k) == path.read_bytes()
        elif isinstance(sketch, Ranked):
            with pytest.raises(ChronosketchError):
                sketch.to_kll(k)
