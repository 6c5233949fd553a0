"""Split a file of SQL into its statements."""

from __future__ import annotations

import re

# Tokens that may contain a semicolon that does not end a statement: comments, strings and quoted names.
_TOKEN = re.compile(
    r"""
      (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<quoted> '(?:\\.|[^'\\])*(?:'|\Z) | "(?:\\.|[^"\\])*(?:"|\Z) | `[^`]*(?:`|\Z) )
    | (?P<end> ; )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def split_statements(text: str) -> list[str]:
    r"""Split at each semicolon that ends a statement, and drop comments.

    Examples
    --------
    >>> split_statements("SELECT ';' -- one; only\n; SELECT 2")
    ["SELECT ';'", 'SELECT 2']
    """
    statements = [""]
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "end":
            statements.append("")
        elif token.lastgroup == "comment" and not token.group().startswith("/*+"):
            statements[-1] += " "
        else:  # a hint looks like a comment but must stay
            statements[-1] += token.group()
    return [statement.strip() for statement in statements if statement.strip()]
