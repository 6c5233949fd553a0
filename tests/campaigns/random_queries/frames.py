"""Random OVER clauses with frames of all shapes, compared with sorting each frame."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from fractions import Fraction

from random_queries import settings
from random_queries.groups import PHIS, allowed, asked, check_sketch, each, key
from random_queries.tables import NUMBERS
from random_queries.truth import Sorted, WrongAnswerError, need, same

EPSILONS = ("0", "0.3", "0.1", "0.05", "0.01")
# for each order column: a distance in SQL and as a number, and the number of a value
DISTANCES = {
    "id": (lambda n: (str(n), n), lambda v: v),
    "oi": (lambda n: (str(n), n), lambda v: v),
    "k2": (lambda n: (str(n * 500000), n * 500000), lambda v: v),
    "ot": (lambda n: (f"INTERVAL '{n * 45}' SECOND", n * 45), lambda v: round(v.timestamp())),
    "od": (lambda n: (f"INTERVAL '{n}' DAY", n), lambda v: v.toordinal()),
}


class Frame:
    """A window: its partitions, order and frame."""

    def __init__(self, rng):
        self._partition = rng.choice(([], [], ["k1"], ["ks"], ["k1", "kb"], ["kf"], ["kn"]))
        self._is_rows = rng.random() < 0.6
        self._order = rng.choice(list(DISTANCES))
        self._falls, self._nulls_first = rng.random() < 0.4, rng.random() < 0.5
        self._low, self._high = bounds(rng)
        by = f"PARTITION BY {', '.join(self._partition)} " if self._partition else ""
        way = f"{'DESC' if self._falls else 'ASC'} NULLS {'FIRST' if self._nulls_first else 'LAST'}"
        then = ", id" if self._is_rows and self._order != "id" else ""
        kind = "ROWS" if self._is_rows else "RANGE"
        low = "UNBOUNDED PRECEDING" if self._low is None else self._told(self._low)
        high = "UNBOUNDED FOLLOWING" if self._high is None else self._told(self._high)
        self.text = f"{by}ORDER BY {self._order} {way}{then} {kind} BETWEEN {low} AND {high}"

    def _told(self, bound):
        if bound == 0:
            return "CURRENT ROW"
        distance = str(abs(bound)) if self._is_rows else DISTANCES[self._order][0](abs(bound))[0]
        return f"{distance} {'PRECEDING' if bound < 0 else 'FOLLOWING'}"

    def of(self, rows):
        """Yield the ``id`` of each row with the rows of its frame, unordered."""
        number = DISTANCES[self._order][1]
        groups = defaultdict(list)
        for row in rows:
            v = row[self._order]
            place = None if v is None else -number(v) if self._falls else number(v)
            groups[key(row[n] for n in self._partition)].append((place, row["id"], row))
        for group in groups.values():
            nulls = sorted((p for p in group if p[0] is None), key=lambda p: p[1])
            rest = sorted((p for p in group if p[0] is not None), key=lambda p: p[:2])
            line = nulls + rest if self._nulls_first else rest + nulls
            ends = self._by_rows(line) if self._is_rows else self._by_range(line, nulls, [p[0] for p in rest])
            for (_, name, _), (low, high) in zip(line, ends, strict=True):
                yield name, [p[2] for p in line[max(0, low) : max(0, high)]]

    def _by_rows(self, line):
        n = len(line)
        for i in range(n):
            yield 0 if self._low is None else i + self._low, n if self._high is None else i + self._high + 1

    def _by_range(self, line, nulls, places):
        n, before = len(line), len(nulls) if self._nulls_first else 0
        peers = (0, len(nulls)) if self._nulls_first else (n - len(nulls), n)
        low, high = self._low, self._high
        if low is not None:
            low = DISTANCES[self._order][0](abs(low))[1] * (1 if low > 0 else -1)
        if high is not None:
            high = DISTANCES[self._order][0](abs(high))[1] * (1 if high > 0 else -1)
        for place, _, _ in line:
            if place is None:
                first, last = peers
            else:
                first = before + bisect_left(places, place + (low or 0))
                last = before + bisect_right(places, place + (high or 0))
            yield 0 if low is None else first, n if high is None else last


def bounds(rng):
    """Draw two bounds of a frame. None means unbounded, 0 the current row, and a negative number a row before it."""
    far = rng.choice((3, 30, 300))
    while True:
        low = rng.choice((None, 0, -rng.randint(1, far), -rng.randint(1, far), rng.randint(1, far)))
        high = rng.choice((None, 0, 0, -rng.randint(1, far), rng.randint(1, far)))
        if low is None or high is None or low <= high:
            return low, high


class Calls:
    """Draws functions OVER a window `w`, and checks for their answers."""

    def __init__(self, rng, table, conf):
        self._rng, self._table = rng, table
        is_auto = conf[settings.STRUCTURE] == "auto" and int(conf[settings.EXACT_ROWS]) >= 10**7
        is_exact = is_auto or conf[settings.STRUCTURE] == "block_sort"
        self._exact = is_exact and conf[settings.SLIDING] == "true"

    def draw(self):
        """Return the SQL of a function and its check."""
        rng = self._rng
        column, epsilon = rng.choice(self._table.values), rng.choice(EPSILONS)
        kinds = [self._quantile] * 5 + [self._bounds] * 3 + [self._sketch, self._least, self._sparks]
        if column.type in NUMBERS:
            kinds.append(self._linear)
        return rng.choice(kinds)(column, epsilon)

    def _phis(self):
        is_array = self._rng.random() < 0.4
        phis = self._rng.sample(PHIS, self._rng.randint(1, 4)) if is_array else [self._rng.choice(PHIS)]
        return phis, is_array, f"array({', '.join(phis)})" if is_array else phis[0]

    def _allowed(self, epsilon, count, frame):
        # whether a frame is small depends on its rows, even if few of them have a value
        is_small = self._exact or allowed(epsilon, frame) == 0
        return 0 if is_small else Fraction(epsilon) * count

    def _filter(self):
        if self._rng.random() < 0.7:
            return "", lambda rows: rows
        return " FILTER (WHERE kb)", lambda rows: [row for row in rows if row["kb"] is True]

    def _quantile(self, column, epsilon):
        phis, is_array, phi = self._phis()
        is_weighted = self._rng.random() < 0.2
        where, only = self._filter()
        text = f"approx_quantile({column.name}, {phi}, {epsilon}{', f' if is_weighted else ''}){where} OVER w"

        def check(rows, answer):
            frame, rows = len(rows), only(rows)
            exact = Sorted([r[column.name] for r in rows], [r["f"] for r in rows] if is_weighted else None)
            most = self._allowed(epsilon, exact.count, frame)
            each(answer, phis, is_array, lambda p, a: exact.check_quantile(p, a, most, is_one=most == 0))

        return (column.out_each if is_array else column.out)(text), check

    def _bounds(self, column, epsilon):
        phis, is_array, phi = self._phis()
        where, only = self._filter()
        text = f"approx_quantile_bounds({column.name}, {phi}, {epsilon}){where} OVER w"

        def check(rows, answer):
            exact = Sorted(r[column.name] for r in only(rows))

            def one(p, a):
                exact.check_bounds(p, a)
                if a is not None and self._allowed(epsilon, exact.count, len(rows)) == 0:
                    need(same(*a), f"bounds {a} are not exact: {exact.count} values")

            each(answer, phis, is_array, one)

        return (column.out_each_bounds if is_array else column.out_bounds)(text), check

    def _linear(self, column, epsilon):
        phis, is_array, phi = self._phis()
        text = f"approx_quantile({column.name}, {phi}, {epsilon}, interpolation => 'linear') OVER w"

        def check(rows, answer):
            exact = Sorted(r[column.name] for r in rows)
            most = allowed(epsilon, exact.count)
            each(answer, phis, is_array, lambda p, a: exact.check_linear(p, a, most))

        return text, check

    def _sketch(self, column, epsilon):
        phi, (where, only) = self._rng.choice(PHIS), self._filter()

        def check(rows, answer):
            check_sketch(Sorted(r[column.name] for r in only(rows)), phi, epsilon, answer)

        return asked(column, f"quantile_sketch_agg({column.name}, {epsilon}){where} OVER w", phi), check

    def _least(self, column, _):
        n = self._rng.choice((1, 3, 65))

        def check(rows, answer):
            right = Sorted(r[column.name] for r in rows).first(n)
            need(
                len(answer or ()) == len(right) and all(map(same, answer or (), right)),
                f"{answer}, not {right}",
            )

        return column.out_each(f"n_least({column.name}, {n}) OVER w"), check

    def _sparks(self, column, _):
        text = f"struct(count({column.name}) OVER w, {column.out(f'min({column.name}) OVER w')}, {column.out(f'max({column.name}) OVER w')})"

        def check(rows, answer):
            exact = Sorted(r[column.name] for r in rows)
            need(answer[0] == exact.count, f"count {answer[0]} and not {exact.count}")
            exact.check_extremes(answer[1], answer[2])

        return text, check


def query(rng, table, relation, conf):
    """Draw a query. Return its SQL, and a function that checks its rows, given the relation's rows as dicts."""
    frame = Frame(rng)
    calls = [Calls(rng, table, conf).draw() for _ in range(rng.randint(1, 5))]
    selected = ["id", *[f"{text} AS a{i}" for i, (text, _) in enumerate(calls)]]
    text = f"{relation.prefix} SELECT {', '.join(selected)} FROM {relation.source} WINDOW w AS ({frame.text})"

    def check(rows, answers):
        found = {answer[0]: answer[1:] for answer in answers}
        need(len(found) == len(answers) == len(rows), f"{len(answers)} answers to {len(rows)} rows")
        for name, rows_of in frame.of(rows):
            for (call, one), answer in zip(calls, found[name], strict=True):
                try:
                    one(rows_of, answer)
                except WrongAnswerError as e:
                    raise WrongAnswerError(
                        f"row {name}, {len(rows_of)} rows in its frame: {call}: {e}"
                    ) from None

    return text.strip(), check
