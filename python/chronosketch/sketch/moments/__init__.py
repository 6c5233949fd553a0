"""Moments and comoments, families 9 and 10: sums of powers, and statistics from them."""
