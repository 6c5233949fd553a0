"""Sketches that answer for any window that ends at the newest row, and windows taken from them."""
