"""The bytes of sketches: numbers, the checksum, and what stands around a payload."""
