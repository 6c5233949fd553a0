"""Random windows that end at the newest row, queried directly or from stored sketches, and hopping windows."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timezone
from fractions import Fraction

from random_queries.groups import PHIS, Items, key
from random_queries.tables import KEYS
from random_queries.truth import Sorted, WrongAnswerError, check_between, need

EPSILONS = ("0", "0.3", "0.1", "0.05", "0.01")
CONDITIONS = {
    "kb": lambda row: row["kb"] is True,
    "k1 > 0": lambda row: row["k1"] is not None and row["k1"] > 0,
    "id % 3 = 0": lambda row: row["id"] % 3 == 0,
}
# for each time column: the number of a value, a span of n of its units, and a constant
TIMES = {
    "id": (lambda v: v, str, lambda n: f"{n}L"),
    "oi": (lambda v: v, str, lambda n: f"{n}L"),
    "ot": (
        lambda v: round(v.timestamp()),
        lambda n: f"'{n} seconds'",
        lambda n: f"TIMESTAMP'{datetime.fromtimestamp(n, timezone.utc):%Y-%m-%d %H:%M:%S}'",
    ),
    "od": (lambda v: v.toordinal(), lambda n: f"'{n} days'", lambda n: f"DATE'{date.fromordinal(n)}'"),
}


class Constraint:
    """The rows of a window, as SQL and as a predicate on a row's age, position and values."""

    def __init__(self, rng, time, is_counted, spans, named):
        self._rng, self._time, self._named, self._spans = rng, time, named, spans
        self._counted = is_counted
        self.by_count, self.by_time, self.filters = False, False, False
        shape = rng.choice(("plain", "plain", "and", "or"))
        parts = [self._clause()] if shape == "plain" else [self._clause(), self._clause()]
        self.text = f" {shape.upper()} ".join(f"({sql})" for sql, _ in parts)
        tests = [test for _, test in parts]
        combine = any if shape == "or" else all
        self.has = lambda age, place, row: combine(test(age, place, row) for test in tests)
        # whether any sketch guarantees a rank error of epsilon for it
        self.is_promised = not self.by_count or (shape == "plain" and not self.filters and not self.by_time)

    def _clause(self):
        rng = self._rng
        if self._counted and rng.random() < 0.4:
            self.by_count = True
            n = rng.choice((1, 5, 50, 400))
            window = (f"among_last({n})", lambda age, place, row: place < n)
        else:
            self.by_time = True
            span = rng.choice(self._spans)
            interval = TIMES[self._time][1](span)
            window = (f"within_last({interval})", lambda age, place, row: age < span)
        if rng.random() < 0.6:
            return window
        self.filters = True
        sql, test = rng.choice(list(CONDITIONS.items()))
        if self._named:
            sql = f"passing('{sql}')"
        if "id" in sql and rng.random() < 0.5:
            positive = test
            sql, test = f"NOT ({sql})", lambda row: not positive(row)
        return f"{window[0]} AND {sql}", lambda age, place, row: window[1](age, place, row) and test(row)


class Window:
    """The rows of a group that are in a window."""

    def __init__(self, constraint, time, as_of):
        self._constraint, self._time, self._as_of = constraint, TIMES[time][0], as_of
        self._name = time

    def of(self, rows, column):
        """Return the number of a group's rows, and the rows of the window."""
        seen = [r for r in rows if r[column.name] is not None and r[self._name] is not None]
        there = [(self._time(r[self._name]), r) for r in seen]
        if self._as_of is not None:
            there = [p for p in there if p[0] <= self._as_of]
        there.sort(key=lambda p: (p[0], p[1]["id"]), reverse=True)
        newest = self._as_of if self._as_of is not None else there[0][0] if there else None
        has = self._constraint.has
        return len(seen), [r for place, (t, r) in enumerate(there) if has(newest - t, place, r)]


def drawn(rng, table, relation, named):
    """Draw a window: its times, constraint and end."""
    time = rng.choice(list(TIMES))
    reach = {"id": table.rows, "oi": 60, "ot": table.rows * 30, "od": 40}[time]
    spans = [max(1, round(reach * share)) for share in (0.001, 0.05, 0.3, 0.7, 2)]
    constraint = Constraint(rng, time, time == "id" and relation.is_set, spans, named)
    as_of = None
    if rng.random() < 0.25:
        base = {"id": 0, "oi": -20, "ot": 1767225600, "od": date(2026, 1, 1).toordinal()}[time]
        as_of = base + rng.randint(0, reach)
    return time, constraint, as_of, max(spans)


def is_small(epsilon, count):
    """Return whether a sketch of n rows knows the rank of each."""
    return Fraction(epsilon) == 0 or count <= 8 / Fraction(epsilon)


def query(rng, table, relation):
    """Draw a query. Return its SQL, and a function that checks its rows, given the relation's rows as dicts."""
    kinds = [_at_once, _stored] if relation.prefix else [_at_once, _stored, _hopping]
    return rng.choice(kinds)(rng, table, relation)


def _groups(outer, rows):
    groups = defaultdict(list)
    for row in rows:
        groups[key(row[n] for n in outer)].append(row)
    if not outer:
        groups.setdefault((), [])
    return groups


def _at_once(rng, table, relation):
    outer = rng.sample(list(KEYS), rng.choice((0, 1, 1, 2)))
    calls = []
    for column in rng.sample(table.values, rng.randint(1, 3)):
        time, constraint, as_of, _ = drawn(rng, table, relation, False)
        epsilon, phi = rng.choice(EPSILONS), rng.choice(PHIS)
        end = "" if as_of is None else f", {TIMES[time][2](as_of)}"
        sql = f"approx_window_quantile({column.name}, {time}, {phi}, {constraint.text}, {epsilon}{end})"
        calls.append((column, Window(constraint, time, as_of), constraint, as_of, epsilon, phi, sql))
    selected = [*outer, *[f"{c[0].out(c[-1])} AS a{i}" for i, c in enumerate(calls)]]
    by = f" GROUP BY {', '.join(outer)}" if outer else ""
    text = f"{relation.prefix} SELECT {', '.join(selected)} FROM {relation.source}{by}".strip()

    def one(call, rows, answer):
        column, window, constraint, as_of, epsilon, phi, _ = call
        count, those = window.of(rows, column)
        exact = Sorted(r[column.name] for r in those)
        if is_small(epsilon, count):
            exact.check_quantile(phi, answer, 0)
        elif constraint.is_promised and as_of is None and those:
            exact.check_quantile(phi, answer, Fraction(epsilon) * exact.count)
        elif answer is not None:
            below, up_to = Sorted(r[column.name] for r in rows).span(answer)
            need(below < up_to, f"{answer!r} is none of the values")

    def check(rows, answers):
        groups = _groups(outer, rows)
        found = {key(a[: len(outer)]): a[len(outer) :] for a in answers}
        need(len(found) == len(answers) and set(found) == set(groups), "other groups than there are")
        for k, those in groups.items():
            for call, answer in zip(calls, found[k], strict=True):
                try:
                    one(call, those, answer)
                except WrongAnswerError as e:
                    raise WrongAnswerError(f"group {k}: {call[-1]}: {e}") from None

    return text, check


def _stored(rng, table, relation):
    outer = rng.sample(list(KEYS), rng.choice((0, 1, 1, 2)))
    column, epsilon, phi = rng.choice(table.values), rng.choice(EPSILONS), rng.choice(PHIS)
    time, constraint, as_of, most = drawn(rng, table, relation, True)
    tuning = f"{epsilon}"
    if as_of is None and not constraint.by_count and rng.random() < 0.5:
        tuning += f", retention => {TIMES[time][1](most + 1)}"
    named = ", ".join(f"'{c}', {c}" for c in CONDITIONS)
    build = f"window_sketch_agg({column.name}, {time}, {tuning}, filters => map({named}))"
    inner = rng.choice(("id % 5", "id div 100", "k1", "ks", "1"))
    built = f"SELECT {', '.join([*outer, f'{inner} AS g'])}, {build} AS s FROM {relation.source} GROUP BY ALL"
    by = f" GROUP BY {', '.join(outer)}" if outer else ""
    united = f"SELECT {', '.join([*outer, 'sketch_merge_agg(s) AS m'])} FROM ({built}) b{by}"
    end = "" if as_of is None else f", {TIMES[time][2](as_of)}"
    cut = f"SELECT {', '.join([*outer, f'sketch_window(m, {constraint.text}{end}) AS w'])} FROM ({united}) u"
    kind = f"'{column.type.lower()}'"
    asked = (
        column.out(f"sketch_quantile(w, {phi}, {kind})"),
        column.out(f"sketch_quantile_bounds(w, {phi}, {kind}).low"),
        column.out(f"sketch_quantile_bounds(w, {phi}, {kind}).high"),
        "sketch_count_bounds(w).low",
        "sketch_count_bounds(w).high",
        "sketch_rank_error(w)",
    )
    text = f"{relation.prefix} SELECT {', '.join([*outer, *asked])} FROM ({cut}) c".strip()
    window = Window(constraint, time, as_of)

    def one(rows, answer):
        value, low, high, least, greatest, error = answer
        count, those = window.of(rows, column)
        exact = Sorted(r[column.name] for r in those)
        need(least <= exact.count <= greatest, f"{exact.count} rows are not within {least} and {greatest}")
        if is_small(epsilon, count):
            need(least == greatest, f"counts {least}, {greatest} of {count} rows are in doubt")
            exact.check_quantile(phi, value, 0)
        if not those:
            return
        check_between(exact.quantile(phi), (low, high), f"phi {phi}")
        need(error is not None, "no error")
        slack = 1 + Fraction(1, 2**50)
        if constraint.is_promised and as_of is None:
            need(
                Fraction(error) <= Fraction(epsilon) * slack,
                f"error {error} of {epsilon}, window of {exact.count}",
            )
        below, up_to = exact.span(value)
        rank = exact.rank(phi)
        off = max(0, below + 1 - rank, rank - up_to)
        need(
            off <= Fraction(error) * exact.count * slack,
            f"{value!r} is {off} off; error {error} of {exact.count}",
        )

    def check(rows, answers):
        groups = _groups(outer, rows)
        found = {key(a[: len(outer)]): a[len(outer) :] for a in answers}
        need(len(found) == len(answers) and set(found) == set(groups), "other groups than there are")
        if not rows:
            return
        for k, those in groups.items():
            try:
                one(those, found[k])
            except WrongAnswerError as e:
                raise WrongAnswerError(f"group {k}: {e}") from None

    return text, check


def _hopping(rng, table, relation):
    outer = rng.sample(list(KEYS), rng.choice((0, 1, 1, 2)))
    size, slide = rng.choice(
        ((600, 60), (900, 300), (300, 300), (100, 30), (3600, 1200), (7200, 7200), (90, 60))
    )
    items = []
    while len(items) < rng.choice((1, 3, 5)):
        item = Items(rng, table).draw()
        if not any(word in item.sql for word in ("DISTINCT", "percentile_", "n_least")):
            items.append(item)
    starts = "unix_seconds(window.start) AS start"
    if rng.random() < 0.7:
        aggs = ", ".join(f'"{item.sql} AS a{i}"' for i, item in enumerate(items))
        structure = rng.choice(("", "", ", structure => 'panes'", ", structure => 'expiration_list'"))
        by = f", by => array({', '.join(repr(n) for n in outer)})" if outer else ""
        of = f"TABLE(SELECT * FROM {relation.source})"
        text = (
            f"SELECT {', '.join([*outer, starts, *[f'a{i}' for i in range(len(items))]])} FROM hopping_sketch({of}, "
            f"event_time => 'ot', size => '{size} seconds', slide => '{slide} seconds'{by}, aggs => array({aggs}){structure})"
        )
    else:
        selected = [*outer, starts, *[f"{item.sql} AS a{i}" for i, item in enumerate(items)]]
        window = f"window(ot, '{size} seconds', '{slide} seconds')"
        text = f"SELECT {', '.join(selected)} FROM {relation.source} GROUP BY {', '.join([*outer, window])}"

    def check(rows, answers):
        groups = defaultdict(list)
        for row in rows:
            if row["ot"] is None:
                continue
            t = round(row["ot"].timestamp())
            start = t - t % slide
            while start > t - size:
                groups[key([*[row[n] for n in outer], start])].append(row)
                start -= slide
        first = len(outer) + 1
        found = {key(a[:first]): a[first:] for a in answers}
        need(len(found) == len(answers) and set(found) == set(groups), "other windows than there are")
        for k, those in groups.items():
            for item, answer in zip(items, found[k], strict=True):
                try:
                    item.check([r for r in those if item.only(r)], answer)
                except WrongAnswerError as e:
                    raise WrongAnswerError(f"window {k}: {item.sql}: {e}") from None

    return text, check
