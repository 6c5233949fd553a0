"""Calibration: a JVM measures costs; this package fits them and writes a report.

Importing this package loads neither numpy nor statsmodels; fitting does.
"""
