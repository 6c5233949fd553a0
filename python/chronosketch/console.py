"""The consoles of the command line, and how a command ends after a user's mistake."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Iterator

err = Console(stderr=True)
out = Console()
if not out.is_terminal:
    # Output to a file or a pipe is not wrapped.
    out = Console(width=10_000)


def fail(message: str) -> NoReturn:
    """End the command with a message on standard error, and exit code 1."""
    err.print(Text(message.strip(), style="red"), soft_wrap=True)
    raise typer.Exit(1) from None


@contextmanager
def one_message() -> Iterator[None]:
    """Turn an error that the user can fix into one message without a stack trace, and exit code 1."""
    try:
        yield
    except ChronosketchError as mistake:
        fail(str(mistake))
