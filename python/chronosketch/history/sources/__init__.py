"""The tables that a history can follow, Delta and Iceberg, behind one interface."""
