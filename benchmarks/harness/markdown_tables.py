"""Reads the Markdown tables that a program prints."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Table:
    """A table: its title, the names of its columns, and the cells as printed."""

    title: str
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    def cell(self, column: str, **where: str) -> str:
        """Return the cell of a column in the one row whose named columns have the given texts."""
        found = [
            row
            for row in self.rows
            if all(row[self.columns.index(name)] == text for name, text in where.items())
        ]
        if len(found) != 1:
            raise LookupError(f"{len(found)} rows of {self.title!r} where {where}")
        return found[0][self.columns.index(column)]

    def number(self, column: str, **where: str) -> float:
        """Return the number at the beginning of a cell."""
        return float(self.cell(column, **where).split()[0])

    def markdown(self) -> list[str]:
        """Write the table as Markdown."""
        lines = ["", f"**{self.title}**", "", _line(self.columns), _line(["---"] * len(self.columns))]
        return lines + [_line(row) for row in self.rows]


def tables(printed: str) -> list[Table]:
    """Read all tables; each follows a line with its title in bold."""
    found: list[Table] = []
    for line in printed.splitlines():
        text = line.removeprefix("[info] ").strip()
        if text.startswith("**") and text.endswith("**"):
            found.append(Table(text.strip("*")))
        elif text.startswith("|") and found:
            cells = [cell.strip() for cell in text.strip("|").split("|")]
            if not found[-1].columns:
                found[-1].columns = cells
            elif set(cells) != {"---"}:
                found[-1].rows.append(cells)
    return found


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
