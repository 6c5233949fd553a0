"""Random sketches that are built, merged in groups or OVER frames, and queried, compared with sorting."""

from __future__ import annotations

from collections import defaultdict

from random_queries.groups import EPSILONS, PHIS, asked, check_sketch, key
from random_queries.tables import KEYS
from random_queries.truth import Sorted, WrongAnswerError, need


def query(rng, table, relation):
    """Draw a query. Return its SQL, and a function that checks its rows, given the relation's rows as dicts."""
    return rng.choice((_grouped, _grouped, _sliding))(rng, table, relation)


def _columns(rng, table):
    """Return some columns, each with an epsilon and a phi."""
    return [(v, rng.choice(EPSILONS), rng.choice(PHIS)) for v in rng.sample(table.values, rng.randint(1, 3))]


def _built(columns):
    return ", ".join(f"quantile_sketch_agg({v.name}, {e}) AS s{i}" for i, (v, e, _) in enumerate(columns))


def _check_columns(columns, rows, answers, where):
    for (v, epsilon, phi), answer in zip(columns, answers, strict=True):
        try:
            check_sketch(Sorted(r[v.name] for r in rows), phi, epsilon, answer)
        except WrongAnswerError as e:
            raise WrongAnswerError(f"{where}: {v.name}, phi {phi}, epsilon {epsilon}: {e}") from None


def _grouped(rng, table, relation):
    columns = _columns(rng, table)
    outer = rng.sample(list(KEYS), rng.choice((0, 1, 1, 2)))
    inner = rng.choice(("id % 7", "id", "k2", "ks", "kf", "id div 50"))
    keys = ", ".join([*outer, f"{inner} AS g"])
    built = f"SELECT {keys}, {_built(columns)} FROM {relation.source} GROUP BY ALL"
    levels = rng.choice((1, 2))
    if levels == 2:
        again = ", ".join(f"sketch_merge_agg(s{i}) AS s{i}" for i in range(len(columns)))
        built = f"SELECT {', '.join([*outer, 'hash(g) % 3 AS h'])}, {again} FROM ({built}) GROUP BY ALL"
    united = ", ".join(f"sketch_merge_agg(s{i}) AS m{i}" for i in range(len(columns)))
    group = f" GROUP BY {', '.join(outer)}" if outer else ""
    united = f"SELECT {', '.join([*outer, united])} FROM ({built}) b{group}"
    answers = [f"{asked(v, f'm{i}', phi)} AS a{i}" for i, (v, _, phi) in enumerate(columns)]
    text = f"{relation.prefix} SELECT {', '.join([*outer, *answers])} FROM ({united}) m".strip()

    def check(rows, answers):
        groups = defaultdict(list)
        for row in rows:
            groups[key(row[n] for n in outer)].append(row)
        found = {key(answer[: len(outer)]): answer[len(outer) :] for answer in answers}
        if not rows and not outer:
            # there were no sketches, so there is nothing to merge or query
            need(list(found) == [()] and all(set(a) == {None} for a in found[()]), f"{found} of no rows")
            return
        need(len(found) == len(answers) and set(found) == set(groups), "other groups than there are")
        for k, answer in found.items():
            _check_columns(columns, groups[k], answer, f"group {k}")

    return text, check


def _sliding(rng, table, relation):
    columns = _columns(rng, table)
    before, after = rng.choice(((3, 0), (10, 0), (0, 0), (2, 2), (None, 0), (0, None), (None, None)))
    low = "UNBOUNDED PRECEDING" if before is None else f"{before} PRECEDING"
    high = "UNBOUNDED FOLLOWING" if after is None else f"{after} FOLLOWING"
    span = rng.choice((7, 30, 100))
    built = f"SELECT kb, id div {span} AS o, {_built(columns)} FROM {relation.source} GROUP BY ALL"
    united = ", ".join(f"sketch_merge_agg(s{i}) OVER w AS m{i}" for i in range(len(columns)))
    over = f"SELECT kb, o, {united} FROM ({built}) b WINDOW w AS (PARTITION BY kb ORDER BY o ROWS BETWEEN {low} AND {high})"
    answers = [f"{asked(v, f'm{i}', phi)} AS a{i}" for i, (v, _, phi) in enumerate(columns)]
    text = f"{relation.prefix} SELECT {', '.join(['kb', 'o', *answers])} FROM ({over}) m".strip()

    def check(rows, answers):
        parts = defaultdict(lambda: defaultdict(list))
        for row in rows:
            parts[row["kb"]][row["id"] // span].append(row)
        need(len(answers) == sum(len(p) for p in parts.values()), "other groups than there are")
        found = {(answer[0], answer[1]): answer[2:] for answer in answers}
        for kb, by_order in parts.items():
            line = [by_order[o] for o in sorted(by_order)]
            for i, o in enumerate(sorted(by_order)):
                of = line[
                    0 if before is None else max(0, i - before) : None if after is None else i + after + 1
                ]
                _check_columns(columns, [row for part in of for row in part], found[kb, o], f"row {kb}, {o}")

    return text, check
