"""Sketches imported from other libraries."""
