"""The parts of ``benchmarks/warehouse.py``, one module each."""
