"""Panes of QLOVE and windows of them, families 4 and 5: quantiles that were named beforehand."""
