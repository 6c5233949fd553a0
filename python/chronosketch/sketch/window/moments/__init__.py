"""Moments of windows, families 14 and 15: sums between bounds that hold for certain."""
