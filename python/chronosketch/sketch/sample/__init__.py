"""Random samples, families 11 to 13, and estimates from them."""
