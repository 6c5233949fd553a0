"""What this package raises itself; what Spark refuses comes as Spark's own exceptions."""


class ChronosketchError(RuntimeError):
    """Something that is missing or does not fit, in one sentence that says what to do."""


class HistoryError(ChronosketchError):
    """A history that cannot go on, or cannot answer.

    Examples
    --------
    >>> from chronosketch.errors import HistoryError
    >>> HistoryError("VERSION_OUT_OF_RANGE", "Ask for 3 to 7.").condition
    'CHRONOSKETCH_VERSION_OUT_OF_RANGE'
    """

    def __init__(self, name: str, sentences: str) -> None:
        self.sentences = sentences
        self.condition = f"CHRONOSKETCH_{name}"
        super().__init__(f"[{self.condition}] {sentences}")
