"""Random FROM clauses over a table: filters, joins, unions, views, CTEs and subqueries."""

from __future__ import annotations

from dataclasses import dataclass

from random_queries.tables import KEYS, ORDERS


@dataclass(frozen=True)
class Relation:
    """The relation that a query reads.

    Attributes
    ----------
    prefix : str
        A WITH clause, or an empty text.
    source : str
        The text after FROM.
    is_set : bool
        Whether each ``id`` is in at most one row.
    statements : tuple of str
        The statements that create the views it needs.
    """

    prefix: str
    source: str
    is_set: bool
    statements: tuple[str, ...] = ()


def conditions(rng, table):
    """Return a condition on rows, and the numbers in it."""
    number = table.values[rng.randrange(len(table.values))].name
    return rng.choice(
        (
            f"id % {rng.choice((2, 3, 7))} = {rng.randrange(2)}",
            f"id < {rng.randrange(table.rows + 1)}",
            f"k1 IS NOT NULL AND id > {rng.randrange(table.rows)}",
            f"{number} IS NOT NULL",
            "ks LIKE 'a%' OR kb",
            f"k2 > {rng.randrange(5) * 1000003}",
            f"kb AND {number} IS NOT NULL",
            "false",
        )
    )


def relation(rng, table, sets_only=False):
    """Draw a relation."""
    columns = ["id", *KEYS, *ORDERS, *[v.name for v in table.values]]
    all_of = ", ".join(f"t.{c}" for c in columns)
    name, where = table.name, conditions(rng, table)
    sets = [
        lambda: Relation("", name, True),
        lambda: Relation("", name, True),
        lambda: Relation("", f"(SELECT * FROM {name} WHERE {where}) t", True),
        lambda: Relation(f"WITH c AS (SELECT * FROM {name} WHERE {where})", "c", True),
        lambda: Relation(
            f"WITH c AS (SELECT * FROM {name}), d AS (SELECT DISTINCT k1 FROM {name} WHERE {where})",
            "(SELECT * FROM c WHERE k1 IN (SELECT k1 FROM d)) t",
            True,
        ),
        lambda: Relation(
            "",
            f"(SELECT * FROM {name} t WHERE EXISTS (SELECT 1 FROM {name} u WHERE u.id = t.id + 1 AND u.kb)) t",
            True,
        ),
        lambda: Relation(
            "",
            f"view_of_{name}",
            True,
            (f"CREATE OR REPLACE TEMP VIEW view_of_{name} AS SELECT * FROM {name} WHERE {where}",),
        ),
        lambda: Relation("", f"(SELECT DISTINCT {all_of} FROM {name} t) t", True),
        lambda: Relation("", f"(SELECT /*+ REPARTITION({rng.choice((1, 4))}) */ * FROM {name}) t", True),
        lambda: Relation("", f"(SELECT * FROM {name} DISTRIBUTE BY k1 SORT BY oi) t", True),
        lambda: Relation(
            "", f"(SELECT * FROM {name} WHERE id > (SELECT avg(id) FROM {name} WHERE {where})) t", True
        ),
        lambda: Relation(
            "", f"(SELECT {all_of} FROM {name} t JOIN range(0, {table.rows}, 3) r ON t.id = r.id) t", True
        ),
    ]
    bags = [
        lambda: Relation("", f"(SELECT * FROM {name} UNION ALL SELECT * FROM {name} WHERE {where}) t", False),
        lambda: Relation(
            "",
            f"(SELECT {all_of} FROM {name} t JOIN (SELECT DISTINCT k1, kb FROM {name}) d ON t.k1 = d.k1) t",
            False,
        ),
        lambda: Relation(
            "",
            f"(SELECT {all_of} FROM {name} t LEFT JOIN (SELECT DISTINCT k1, kd FROM {name} WHERE {where}) d ON t.k1 <=> d.k1) t",
            False,
        ),
        lambda: Relation(
            "",
            f"(SELECT t.* FROM {name} t LATERAL VIEW explode(sequence(0, CAST(id % 3 AS INT))) e AS n) t",
            False,
        ),
    ]
    return rng.choice(sets if sets_only else sets + bags)()
