"""Ranks: which one is asked, and what is certain about them."""
