"""Change golden bytes, and seal them again so that the checksum is right."""

from __future__ import annotations

import golden
from chronosketch.sketch.codec.hashes import crc32c

HEADER = 9
SMALL = 3000


def sealed(data):
    """Return bytes with the correct length and checksum."""
    whole = bytearray(data)
    whole[5:9] = len(whole).to_bytes(4, "big")
    whole[-4:] = crc32c(bytes(whole[:-4])).to_bytes(4, "big")
    return bytes(whole)


def files():
    """Return small golden files of each family, as they are read thousands of times."""
    return [data for data in golden.stored().values() if len(data) < SMALL]


def changed(chance, files):
    """Return one of the files with a few changes."""
    data = bytearray(chance.choice(files))
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        # most checks concern the beginning
        end = len(data) - 4
        at = chance.randrange(HEADER, min(end, HEADER + 60) if chance.random() < 0.7 else end)
        kind = chance.randrange(7)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            data[at] = chance.randrange(256)
        elif kind == 3:
            del data[at : at + chance.randrange(1, 4)]
        elif kind == 4:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 4)))
        elif kind == 5:
            # replace a byte by a number of 64 bits
            data[at : at + 1] = b"\xff" * 9 + bytes([chance.randrange(4)])
        else:
            data[at : at + 1] = bytes([0x80 | chance.randrange(128)] * 8 + [chance.randrange(256)])
    while len(data) < 18:
        data += b"\0"
    return sealed(data) if chance.random() < 0.97 else bytes(data)
