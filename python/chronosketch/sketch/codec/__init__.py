"""The byte format of sketches: numbers, the checksum and the envelope."""
