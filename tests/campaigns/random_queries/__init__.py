"""Random tables, queries and settings, and their exact answers by sorting."""
