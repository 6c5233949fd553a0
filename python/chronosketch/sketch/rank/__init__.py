"""Ranks of quantiles, and bounds of ranks."""
