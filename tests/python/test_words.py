"""Comments and names of tests stay plain: the number of places that read like riddles cannot grow."""

from collections import Counter

import pytest
import words

# Places that are right as they stand, by folder. Lower a number when you rewrite one; never raise one.
ALLOWED = {}


@pytest.mark.parametrize(
    "comment",
    [
        "Which keys came lately?",
        "Of sketches of rows that come as they like: with a smaller error a task would hold all rows.",
        "Of a bucket, its rows.",
        "What is left after a merge.",
        "Records so many rows.",
        "The key, none where it is absent.",
        "is no sketch",
    ],
)
def test_a_riddle_is_found(comment):
    assert words.reasons(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "Buffers recent pairs until they are sorted into groups.",
        "There is no need for a copy. A pane is no longer read.",
        "Returns which rows are late, and why.",
    ],
)
def test_a_plain_sentence_passes(comment):
    assert words.reasons(comment) == []


def test_comments_of_both_languages_are_read():
    scala = '/** Of a key.\n  *\n  * @param of What it is.\n  */\nval a = 1 // so many\ntest("is no key")'
    assert [line for line, text in words.jvm_comments(scala) if words.reasons(text)] == [1, 1, 5, 6]
    python = '"""What it is."""\nx = """What it is."""\n\n\ndef test_it_is_no_name():\n    0  # so many\n'
    assert [line for line, text in words.python_comments(python) if words.reasons(text)] == [1, 5, 6]


def test_no_folder_has_more_riddles_than_are_allowed():
    places = words.flagged()
    folders = Counter("/".join(place.split("/")[:2]) for place in places)
    crowded = {folder for folder, n in folders.items() if n > ALLOWED.get(folder, 0)}
    assert [place for place in places if "/".join(place.split("/")[:2]) in crowded] == []
