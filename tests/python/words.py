"""Finds comments and test names that a stranger has to read twice.

`.venv/bin/python tests/python/words.py` lists them, with the reason. The patterns are a help: prose that
they accept can still be bad.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
ROOMS = ("jvm", "project", "python", "tests", "benchmarks", "examples", "make", "python-spark")

PATTERNS = {
    "a question as a heading": r"^(Which|What|How|Where|When|Who|Whether|Do|Does|Is|Are|Can|May)\b[^.]*\?",
    "starts with a genitive": r"^Of (?!course)",
    "a clause instead of a sentence": r"^(What|Whatever|Whoever|Where|That) [^.,;:!?]*\.$",
    "so many: say n": r"\b[Ss]o many\b",
    "none where: say if absent": r"\b(none|None|nothing) where\b|\bwhere (there is|it has|they have) none\b",
    "is no: say not": r"(?<![Tt]here )\b(is|are|was) no (?!longer|more|less|larger|\w+ (for|to|of)\b)\w+",
}
FOUND = {reason: re.compile(pattern) for reason, pattern in PATTERNS.items()}

JVM_COMMENT = re.compile(r'/\*\*?(.*?)\*/|(?:^|(?<=\s))// ?([^\n]*)|\btest\(\s*"([^"]+)"', re.DOTALL)


def jvm_comments(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of comments and the names of tests in Scala or Java, each with its line."""
    for found in JVM_COMMENT.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        block, short, name = found.groups()
        if block is None:
            yield line, short or name
        else:
            prose = re.sub(r"(?m)^\s*\* ?", "", block)
            paragraphs = re.split(r"\n\s*\n|\n\s*(?=@)", prose)
            yield from ((line, re.sub(r"^@(param \w+|\w+)\s+", "", text.strip())) for text in paragraphs)


def python_comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments, first paragraphs of docstrings and names of tests in Python, each with its line."""
    before_statement = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    starts_statement = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            yield line, token.string.lstrip("#!: ")
        elif token.type == tokenize.STRING and starts_statement and token.string.startswith('"""'):
            yield line, re.split(r"\n\s*\n", token.string.strip('"'))[0]
        elif token.type == tokenize.NAME and token.string.startswith("test_"):
            yield line, token.string.replace("_", " ")
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            starts_statement = token.type in before_statement


def reasons(comment: str) -> list[str]:
    """The patterns that a sentence of the comment has."""
    sentences = re.split(r"(?<=[.?!])\s+", " ".join(comment.split()))
    return [why for why, pattern in FOUND.items() if any(pattern.search(sentence) for sentence in sentences)]


def sources() -> Iterator[Path]:
    """The files in Scala, Java and Python that people write."""
    for room in ROOMS:
        path = TOP / room
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (
            file for file in files if file.suffix in (".scala", ".java", ".py") and "target" not in file.parts
        )


def flagged() -> list[str]:
    """A line for each place: the file, the line, the reasons and the text."""
    places = []
    for file in sources():
        comments = python_comments if file.suffix == ".py" else jvm_comments
        for line, comment in comments(file.read_text("utf-8")):
            if why := reasons(comment):
                text = " ".join(comment.split())[:120]
                places.append(f"{file.relative_to(TOP)}:{line} [{', '.join(why)}] {text}")
    return places


if __name__ == "__main__":
    print("\n".join(flagged()))
