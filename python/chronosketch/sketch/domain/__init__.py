"""Types of values, and the whole numbers that stand for values and sort as they do."""
