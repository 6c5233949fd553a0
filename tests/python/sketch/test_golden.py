"""Golden files of Spark are read, give the same answers, and are written back byte for byte."""

import golden
import pytest
from chronosketch.sketch import Sketch

NAMES = list(golden.stored())


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_file_is_written_as_it_was_read(name):
    data = golden.stored()[name]
    assert Sketch.from_bytes(data).to_bytes() == data


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_file_answers_as_it_did(name):
    assert golden.answers(Sketch.from_bytes(golden.stored()[name])) == golden.text_of(name)
