"""The errors of sketches, with the same texts as in the JVM."""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from chronosketch.errors import ChronosketchError
from chronosketch.installed import resource, version

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


class Refusal(Exception):  # noqa: N818
    """An error condition with its parameters, raised where the name of the called function is not known."""

    def __init__(self, condition: str, **parameters: object) -> None:
        self.condition = f"CHRONOSKETCH_{condition}"
        self.parameters = {name: _text(value) for name, value in parameters.items()}
        super().__init__(f"[{self.condition}] {self.parameters}")


def _text(value: object) -> str:
    try:
        return str(value)
    except ValueError:
        # Python writes no whole number of more than 4300 digits
        return "a number of thousands of digits"


class SketchError(ChronosketchError):
    """A question or operation that a sketch refuses, with its error condition.

    Conditions, texts and SQLSTATEs are those of the SQL functions.

    Attributes
    ----------
    condition : str
        The name of the condition, as ``"CHRONOSKETCH_CORRUPT_SKETCH"``.
    parameters : dict of str to str
        The parameters of the condition's text.
    sentences : str
        The text with its parameters filled in.
    sql_state : str
        The SQLSTATE of the condition.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch
    >>> try:
    ...     Sketch.from_bytes(b"CSV,with,commas")
    ... except cs.ChronosketchError as error:
    ...     print(error.condition, error.sql_state)
    CHRONOSKETCH_NOT_A_SKETCH 22000
    """

    def __init__(self, condition: str, parameters: dict[str, str]) -> None:
        # a copy of the sources alone has no texts
        message, self.sql_state = _conditions().get(condition, (str(parameters), ""))
        self.condition = condition
        self.parameters = parameters
        self.sentences = _filled(message, parameters)
        super().__init__(f"[{condition}] {self.sentences}")

    def __reduce__(self) -> tuple[type[SketchError], tuple[str, dict[str, str]]]:
        return type(self), (self.condition, self.parameters)


class QuestionNotAnsweredError(SketchError, AttributeError):
    """The sketch's family does not answer the question. ``hasattr`` is False for it, too."""


def to_error(refusal: Refusal, function: str) -> SketchError:
    """Turn a refusal into an error that names the function."""
    known = {"sketch": "sketch", "version": version(), **refusal.parameters}
    kind = QuestionNotAnsweredError if refusal.condition in _NOT_ASKED else SketchError
    return kind(refusal.condition, {**known, "function": function})


_NOT_ASKED = tuple(f"CHRONOSKETCH_{name}" for name in ("QUESTION_NOT_ANSWERED", "NO_SUMS", "WHICH_VERSION"))


def question(method: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public method so that its refusals become errors that name the method."""
    of_a_class = "." in method.__qualname__
    return refusing_as(f"Sketch.{method.__name__}" if of_a_class else method.__name__)(method)


def refusing_as(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a public function so that its refusals become errors with this name."""

    def named(method: Callable[P, R]) -> Callable[P, R]:
        @wraps(method)
        def asked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return method(*args, **kwargs)
            except Refusal as refusal:
                raise to_error(refusal, name) from None

        return asked

    return named


@cache
def _conditions() -> dict[str, tuple[str, str]]:
    """Read the text and SQLSTATE of each condition from the file that SQL's functions use."""
    import json

    text = resource("chronosketch.sketch", "conditions.json") or "{}"
    return {name: ("\n".join(one["message"]), one["sqlState"]) for name, one in json.loads(text).items()}


def _filled(message: str, parameters: dict[str, str]) -> str:
    pieces = message.split("<")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition(">")
        filled.append(parameters.get(name, f"<{name}>") + rest)
    return "".join(filled)
