"""Histories, family 7, from which any past version is taken, and such versions, family 8."""
