"""Sketches that any window back from the newest row is taken from, and such windows."""
