"""The exceptions that this package raises. Errors from Spark are raised as Spark's own exceptions."""


class ChronosketchError(RuntimeError):
    """The environment or an argument is wrong. The message says what is wrong, and what to do."""


class HistoryError(ChronosketchError):
    """A history cannot continue or cannot answer. `condition` names the case; docs/history.md lists them.

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
