"""What this package raises itself; what Spark refuses comes as Spark's own exceptions."""


class ChronosketchError(RuntimeError):
    """Something that is missing or does not fit, in one sentence that says what to do."""
