"""Random tables, queries and settings, and what sorting says the answers are."""
