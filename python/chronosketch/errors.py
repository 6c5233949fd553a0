"""The exceptions that this package raises itself. What Spark refuses comes as Spark's own exceptions."""


class ChronosketchError(RuntimeError):
    """Something is missing or does not fit. The message says what, and what to do."""


class HistoryError(ChronosketchError):
    """A history cannot go on, or cannot answer. `condition` names the case; docs/history.md lists them.

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
