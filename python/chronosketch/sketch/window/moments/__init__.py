"""Moments of windows, families 14 and 15: sums with certain bounds."""
