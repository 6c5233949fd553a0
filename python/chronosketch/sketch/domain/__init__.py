"""Value types, and the integer keys that represent values and sort like them."""
