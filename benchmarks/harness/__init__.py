"""What the benchmarks in Spark share: data, contestants, rounds, metrics of plans, tables, pictures."""
