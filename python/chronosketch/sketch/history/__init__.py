"""Histories, family 7, and versions taken from them, family 8."""
