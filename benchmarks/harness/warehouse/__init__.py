"""What ``benchmarks/warehouse.py`` measures, a module a part."""
