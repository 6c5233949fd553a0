"""Shared parts of the benchmarks: data, contestants, rounds, metrics of plans, tables, pictures."""
