"""Samples of windows, families 16 and 17."""
