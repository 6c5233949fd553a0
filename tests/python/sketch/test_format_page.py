"""docs/format.md shows a golden file correctly and describes every family."""

import re
from pathlib import Path

import golden
from chronosketch.sketch.codec.hashes import mix

PAGE = Path(__file__).resolve().parents[3] / "docs" / "format.md"
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
WORD = (1 << 64) - 1


def test_the_dump_matches_the_file():
    data = b""
    for line in BLOCKS[0].splitlines():
        written, meaning = re.fullmatch(r"((?:[0-9a-f]{2} )*[0-9a-f]{2}) {3,}(\S.*)", line).groups()
        assert meaning
        data += bytes.fromhex(written)
    assert data == golden.stored()["huge_counts"]


def test_the_documented_bijection_is_used():
    add, *rounds, last = BLOCKS[1].splitlines()
    for x in (0, 1, -1, 1 << 62):
        y = x + int(re.fullmatch(r"x = x \+ (\w{16})", add).group(1), 16) & WORD
        for line in rounds:
            by, factor = re.fullmatch(r"x = \(x xor x >>> (\d+)\) · (\w{16})", line).groups()
            y = (y ^ y >> int(by)) * int(factor, 16) & WORD
        y ^= y >> int(re.fullmatch(r"x xor x >>> (\d+)", last).group(1))
        assert y == mix(x) & WORD


def test_every_family_has_a_section():
    numbers = {
        number
        for line in re.findall(r"^## Famil(.*):", PAGE.read_text(), re.MULTILINE)
        for number in re.findall(r"\d+", line)
    }
    stored = {path.read_bytes()[golden.FAMILY_AT] for path in golden.FOLDER.glob("*.bin")}
    assert {int(number) for number in numbers} == stored
