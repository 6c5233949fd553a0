"""Check that any bytes are refused with a condition, or a sketch that answers, merges and is stored."""

from __future__ import annotations

import golden
from chronosketch.sketch import ChronosketchError, Sketch
from chronosketch.sketch.refusal import SketchError

#: The conditions with which merging a sketch with itself may be refused.
TOGETHER = {
    "CHRONOSKETCH_COUNT_OVERFLOW",
    "CHRONOSKETCH_PANES_OVERLAP",
    "CHRONOSKETCH_TOO_MANY_PANES",
    "CHRONOSKETCH_SAMPLE_OF_LAST_ROWS",
}

#: The conditions of questions: separate parts of a history, and a pane that would keep too much.
ASKED = {"CHRONOSKETCH_HISTORIES_APART", "CHRONOSKETCH_PANES_KEEP_TOO_MUCH"}


def opened(data):
    """Return the sketch or None, and the refusal or None."""
    try:
        return Sketch.from_bytes(data), None
    except ChronosketchError as refused:
        assert refused.condition.startswith("CHRONOSKETCH_")
        assert "Sketch.from_bytes" in str(refused)
        return None, refused


def ask_everything(sketch):
    """Check that accepted bytes also answer, merge and can be stored again."""
    sketch.describe()
    stored = sketch.to_bytes()
    copy = Sketch.from_bytes(stored)
    assert copy.to_bytes() == stored
    answers(sketch)
    try:
        both = sketch.merge(copy)
    except SketchError as refused:
        assert refused.condition in TOGETHER, refused
    except ChronosketchError as refused:
        # some families merge only in Spark
        assert "in Python: sketch_merge in SQL does" in str(refused), refused
    else:
        answers(both)
        assert Sketch.from_bytes(both.to_bytes()).describe().count == both.describe().count


def answers(sketch):
    """Ask the questions of the golden files. Some sketches refuse some of them."""
    try:
        golden.answers(sketch)
    except SketchError as refused:
        assert refused.condition in ASKED, refused
