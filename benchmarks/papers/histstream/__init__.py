"""The parts of ``benchmarks/papers/warehouse.py``, one module each."""
