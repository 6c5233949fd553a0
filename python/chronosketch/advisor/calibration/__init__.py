"""Calibration: costs are measured by a JVM, fitted here, and reported on one page.

Importing this package loads neither numpy nor statsmodels; fitting does.
"""
