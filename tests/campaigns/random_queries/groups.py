"""Random GROUP BY queries with several kinds of aggregates, compared with sorting."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from random_queries.tables import KEYS, NUMBERS
from random_queries.truth import Sorted, WrongAnswerError, check_between, need, same

PHIS = ("0", "0.01", "0.05", "0.07", "0.25", "0.5", "0.77", "0.9", "0.99", "0.999", "1")
EPSILONS = ("0", "0.1", "0.01", "0.001", "0.0001")


@dataclass
class Item:
    """An aggregate of a query: its SQL, its condition, and a function that checks its answer."""

    sql: str
    check: object
    only: object = None


def exact_rows(epsilon):
    """Return the number of values up to which a sketch keeps all of them."""
    return None if Fraction(epsilon) == 0 else 2 / Fraction(epsilon)


def allowed(epsilon, count):
    """Return the allowed rank error of an answer."""
    most = exact_rows(epsilon)
    return 0 if most is None or count < most else Fraction(epsilon) * count


class Items:
    """Draws aggregates of a table's values."""

    def __init__(self, rng, table):
        self._rng, self._table = rng, table

    def draw(self):
        """Return an aggregate, possibly with a FILTER."""
        rng = self._rng
        column = rng.choice(self._table.values)
        epsilon = rng.choice(EPSILONS)
        kinds = (
            [self._quantile] * 6
            + [self._bounds] * 3
            + [self._sketch] * 3
            + [self._sparks] * 3
            + [self._least]
        )
        if column.type in NUMBERS:
            kinds += [self._linear] * 2 + [self._disc]
        return rng.choice(kinds)(column, epsilon)

    def _filter(self):
        """Return a FILTER, and a predicate on rows, which are dicts."""
        rng = self._rng
        if rng.random() < 0.6:
            return "", lambda row: True
        n = rng.choice((2, 3, 5))
        return rng.choice(
            (
                (f" FILTER (WHERE id % {n} = 0)", lambda row: row["id"] % n == 0),
                (" FILTER (WHERE kb)", lambda row: row["kb"] is True),
                (" FILTER (WHERE k1 > 0)", lambda row: row["k1"] is not None and row["k1"] > 0),
                (" FILTER (WHERE false)", lambda row: False),
            )
        )

    def _call(self, name, column, epsilon, more=()):
        """Return a call for some phis, the phis, and how values count: plain, with copies, or distinct."""
        rng = self._rng
        is_array = rng.random() < 0.4
        phis = rng.sample(PHIS, rng.randint(1, 5)) if is_array else [rng.choice(PHIS)]
        phi = f"array({', '.join(phis)})" if is_array else phis[0]
        way = rng.choices(("plain", "copies", "distinct", "within"), (6, 2, 1, 1))[0]
        tuning = [f"epsilon => {epsilon}", *more]
        if way == "copies":
            tuning.append("frequency => f")
        if way == "within":
            text = f"{name}({phi}, {', '.join(tuning)}) WITHIN GROUP (ORDER BY {column.name})"
        else:
            text = (
                f"{name}({'DISTINCT ' if way == 'distinct' else ''}{column.name}, {phi}, {', '.join(tuning)})"
            )
        return text, phis, is_array, way

    @staticmethod
    def _sorted(rows, column, way):
        values = [row[column.name] for row in rows]
        if way == "copies":
            return Sorted(values, [row["f"] for row in rows])
        if way == "distinct":
            values = {("NaN" if v != v else v): v for v in values}.values()
        return Sorted(values)

    def _quantile(self, column, epsilon):
        text, phis, is_array, way = self._call("approx_quantile", column, epsilon)
        where, only = self._filter()

        def check(rows, answer):
            exact = self._sorted(rows, column, way)
            each(
                answer, phis, is_array, lambda p, a: exact.check_quantile(p, a, allowed(epsilon, exact.count))
            )

        out = column.out_each if is_array else column.out
        return Item(out(text + where), check, only)

    def _bounds(self, column, epsilon):
        text, phis, is_array, way = self._call("approx_quantile_bounds", column, epsilon)
        where, only = self._filter()

        def check(rows, answer):
            exact = self._sorted(rows, column, way)

            def one(phi, bounds):
                exact.check_bounds(phi, bounds)
                if bounds is not None and allowed(epsilon, exact.count) == 0:
                    need(same(*bounds), f"bounds {bounds} are not exact: {exact.count} values")

            each(answer, phis, is_array, one)

        return Item((column.out_each_bounds if is_array else column.out_bounds)(text + where), check, only)

    def _linear(self, column, epsilon):
        is_bounds = self._rng.random() < 0.3
        name = "approx_quantile_bounds" if is_bounds else "approx_quantile"
        text, phis, is_array, way = self._call(name, column, epsilon, ["interpolation => 'linear'"])
        where, only = self._filter()

        def check(rows, answer):
            exact = self._sorted(rows, column, way)

            def one(phi, a):
                if is_bounds:
                    exact.check_linear_bounds(phi, a)
                else:
                    exact.check_linear(phi, a, allowed(epsilon, exact.count))

            each(answer, phis, is_array, one)

        return Item(text + where, check, only)

    def _sketch(self, column, epsilon):
        where, only = self._filter()
        copies = self._rng.random() < 0.3
        build = f"quantile_sketch_agg({column.name}, {epsilon}{', f' if copies else ''}){where}"
        phi = self._rng.choice(PHIS)
        text = asked(column, build, phi)

        def check(rows, answer):
            check_sketch(self._sorted(rows, column, "copies" if copies else "plain"), phi, epsilon, answer)

        return Item(text, check, only)

    def _sparks(self, column, _):
        where, only = self._filter()
        parts = [f"count({column.name}){where}", f"{column.out(f'min({column.name}){where}')}"]
        parts += [f"{column.out(f'max({column.name}){where}')}", f"count(*){where}"]

        def check(rows, answer):
            exact = Sorted(row[column.name] for row in rows)
            need(
                answer[0] == exact.count and answer[3] == len(rows),
                f"counts {answer[0]}, {answer[3]} and not {exact.count}, {len(rows)}",
            )
            exact.check_extremes(answer[1], answer[2])

        return Item(f"struct({', '.join(parts)})", check, only)

    def _least(self, column, _):
        n = self._rng.choice((1, 3, 20))
        where, only = self._filter()
        text = f"struct({column.out_each(f'n_least({column.name}, {n}){where}')}, {column.out_each(f'n_greatest({column.name}, {n}){where}')})"

        def check(rows, answer):
            exact = Sorted(row[column.name] for row in rows)
            for found, right in zip(answer, (exact.first(n), exact.last(n)), strict=True):
                need(
                    len(found or ()) == len(right) and all(map(same, found or (), right)),
                    f"{found} and not {right}",
                )

        return Item(text, check, only)

    def _disc(self, column, _):
        phi = self._rng.choice(("0", "0.25", "0.5", "0.75", "1"))
        where, only = self._filter()
        ours = f"approx_quantile({column.name}, {phi}, 0){where}"
        line = f"approx_quantile({column.name}, {phi}, 0, interpolation => 'linear'){where}"
        sparks = f"percentile_disc({phi}) WITHIN GROUP (ORDER BY {column.name}){where}"
        sparks_line = f"percentile_cont({phi}) WITHIN GROUP (ORDER BY {column.name}){where}"

        def check(rows, answer):
            exact = Sorted(row[column.name] for row in rows)
            exact.check_quantile(phi, answer[0], 0)
            # Spark's answer is always a DOUBLE
            ours = None if answer[0] is None else float(answer[0])
            need(same(answer[1], ours), f"{answer[0]!r} and percentile_disc {answer[1]!r}")
            exact.check_linear(phi, answer[2], 0)
            if answer[2] is not None and abs(answer[2]) < 1e300:
                need(
                    answer[3] == answer[3]
                    and abs(answer[2] - answer[3]) <= 4e-16 * max(map(abs, exact_around(exact, phi))),
                    f"linear {answer[2]!r} and percentile_cont {answer[3]!r}",
                )

        return Item(f"struct({ours}, {sparks}, {line}, {sparks_line})", check, only)


def exact_around(exact, phi):
    """Return the two values that enclose the linear quantile, as doubles."""
    place = int(Fraction(phi) * (exact.count - 1))
    return float(exact.at(place + 1)), float(exact.at(min(place + 2, exact.count)))


def asked(column, sketch, phi):
    """Return a struct of all questions to a sketch."""
    kind = f"'{column.type.lower()}'"
    parts = (
        column.out(f"sketch_quantile({sketch}, {phi}, {kind})"),
        column.out(f"sketch_quantile_bounds({sketch}, {phi}, {kind}).low"),
        column.out(f"sketch_quantile_bounds({sketch}, {phi}, {kind}).high"),
        column.out(f"sketch_min({sketch}, {kind})"),
        column.out(f"sketch_max({sketch}, {kind})"),
        f"sketch_count({sketch})",
        f"sketch_rank_error({sketch})",
    )
    return f"struct({', '.join(parts)})"


def check_sketch(exact, phi, epsilon, answer):
    """Compare a sketch's answers with sorting."""
    value, low, high, least, greatest, count, error = answer
    need(count == exact.count, f"count {count} and not {exact.count}")
    exact.check_extremes(least, greatest)
    if exact.count == 0:
        need(value is None and error is None, f"{value}, {error} of no values")
        return
    most = allowed(epsilon, exact.count)
    # the error is a share that was rounded to a double
    need(
        Fraction(error) * exact.count <= most * (1 + Fraction(1, 2**50)),
        f"error {error} of {epsilon}, {count} values",
    )
    exact.check_quantile(phi, value, min(most, Fraction(error) * exact.count * (1 + Fraction(1, 2**50))))
    check_between(exact.quantile(phi), (low, high), f"phi {phi}")


def each(answer, phis, is_array, check):
    """Check one answer, or each of an array. Without values the answer is NULL, also for several phis."""
    if not is_array:
        check(phis[0], answer)
    elif answer is None:
        for phi in phis:
            check(phi, None)
    else:
        need(len(answer) == len(phis), f"{len(answer)} answers to {len(phis)} phis")
        for phi, a in zip(phis, answer, strict=True):
            check(phi, a)


def key(values):
    """Return values as a dict key in which NaN equals itself."""
    return tuple("NaN" if v != v else v for v in values)


class Grouping:
    """The columns and grouping sets of a query."""

    def __init__(self, rng):
        names = rng.sample(list(KEYS), rng.choices((0, 1, 2, 3), (3, 5, 4, 1))[0])
        self.names, self.sets = names, [names]
        self.clause = f" GROUP BY {', '.join(names)}" if names else ""
        self._is_several = len(names) >= 1 and rng.random() < 0.2
        if self._is_several:
            way = rng.choice(("ROLLUP", "CUBE", "GROUPING SETS"))
            if way == "ROLLUP":
                self.sets = [names[:i] for i in range(len(names), -1, -1)]
                self.clause = f" GROUP BY ROLLUP({', '.join(names)})"
            elif way == "CUBE":
                self.sets = [list(c) for n in range(len(names) + 1) for c in combinations(names, n)]
                self.clause = f" GROUP BY CUBE({', '.join(names)})"
            else:
                self.sets = [names, names[:1], names[-1:]]
                sets = ", ".join(f"({', '.join(s)})" for s in self.sets)
                self.clause = f" GROUP BY GROUPING SETS ({sets})"
                if len(names) == 1:
                    self.sets, self.clause = [names], f" GROUP BY GROUPING SETS (({names[0]}))"

    @property
    def columns(self):
        """Return the columns that are selected before the aggregates."""
        return [*(["grouping_id() AS gid"] if self._is_several else []), *self.names]

    def of(self, rows):
        """Return the rows of each group. A grouping set that occurs twice has its groups twice."""
        groups = defaultdict(list)
        for chosen in self.sets:
            gid = sum(1 << (len(self.names) - 1 - i) for i, n in enumerate(self.names) if n not in chosen)
            for row in rows:
                values = [row[n] if n in chosen else None for n in self.names]
                groups[key([*([gid] if self._is_several else []), *values])].append(row)
        if not self.names:
            groups.setdefault((), [])
        return groups


def query(rng, table, relation):
    """Draw a query. Return its SQL, and a function that checks its rows, given the relation's rows as dicts."""
    grouping = Grouping(rng)
    items = [Items(rng, table).draw() for _ in range(rng.randint(1, 8))]
    having, passes = "", lambda rows: True
    if grouping.names and rng.random() < 0.2:
        least, some = rng.choice((1, 2, 10, 100)), rng.choice(table.values)
        having, passes = rng.choice(
            (
                (f" HAVING count(*) >= {least}", lambda rows: len(rows) >= least),
                (
                    f" HAVING approx_quantile({some.name}, 0.5) IS NOT NULL",
                    lambda rows: any(row[some.name] is not None for row in rows),
                ),
                (
                    f" HAVING approx_quantile(id, 0.9, 0) > {table.rows // 2}",
                    lambda rows: Sorted(row["id"] for row in rows).quantile("0.9") > table.rows // 2,
                ),
            )
        )
    selected = [*grouping.columns, *[f"{item.sql} AS a{i}" for i, item in enumerate(items)]]
    text = f"SELECT {', '.join(selected)} FROM {relation.source}{grouping.clause}{having}"
    order = rng.random()
    if order < 0.1 and grouping.names:
        text += f" ORDER BY {', '.join(grouping.names)}"
    elif order < 0.2 and not relation.prefix:
        text = f"WITH whole AS ({text}) SELECT * FROM whole"
    elif order < 0.3 and not relation.prefix:
        text = f"SELECT * FROM ({text}) q WHERE true"
    text = f"{relation.prefix} {text}".strip()

    def check(rows, answers):
        groups = {k: rows for k, rows in grouping.of(rows).items() if passes(rows)}
        first = len(grouping.columns)
        found = [key(answer[:first]) for answer in answers]
        need(len(set(found)) == len(found), "a group came twice")
        need(set(found) == set(groups), f"groups {set(found) ^ set(groups)} are there once of two")
        for k, answer in zip(found, answers, strict=True):
            for item, a in zip(items, answer[first:], strict=True):
                try:
                    item.check([row for row in groups[k] if item.only(row)], a)
                except WrongAnswerError as e:
                    raise WrongAnswerError(f"group {k}: {item.sql}: {e}") from None

    return text, check
