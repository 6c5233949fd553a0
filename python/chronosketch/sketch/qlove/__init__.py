"""QLOVE's panes and windows of panes, families 4 and 5: quantiles for φ that are chosen in advance."""
