"""Samples, families 11 to 13: rows chosen by chance, and what follows from them for all rows."""
