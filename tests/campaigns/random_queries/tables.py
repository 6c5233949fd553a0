"""Random tables with all types of values, as SQL over a range. The text alone creates the same rows again."""

from __future__ import annotations

import re
from dataclasses import dataclass

# for each type, the expression that makes a value from a BIGINT `x`
VALUES = {
    "TINYINT": "CAST(pmod(x, 256) - 128 AS TINYINT)",
    "SMALLINT": "CAST(pmod(x, 65536) - 32768 AS SMALLINT)",
    "INT": "CAST(pmod(x, 4294967296L) - 2147483648L AS INT)",
    "BIGINT": "x",
    "FLOAT": "CAST(x AS FLOAT) / 7",
    "DOUBLE": "CAST(x AS DOUBLE) / 7",
    "DECIMAL(9,2)": "CAST(pmod(x, 999999999L) * 0.01BD AS DECIMAL(9,2))",
    "DECIMAL(18,3)": "CAST(pmod(x, 999999999999999L) * 0.001BD - 4000000BD AS DECIMAL(18,3))",
    "DATE": "date_add(DATE'1920-01-01', CAST(pmod(x, 60000) AS INT))",
    "TIMESTAMP": "timestamp_micros(pmod(x, 3000000000000000L) - 900000000000000L)",
    "TIMESTAMP_NTZ": "CAST(timestamp_micros(pmod(x, 3000000000000000L) - 900000000000000L) AS TIMESTAMP_NTZ)",
    "TIME(6)": "make_time(CAST(pmod(x, 24) AS INT), CAST(pmod(x div 24, 60) AS INT), CAST(pmod(x, 59) AS DECIMAL(16,6)))",
    "INTERVAL DAY TO SECOND": "timestamp_micros(pmod(x, 3000000000000000L)) - TIMESTAMP'1990-01-01 00:00:00'",
    "INTERVAL YEAR TO MONTH": "make_ym_interval(0, CAST(pmod(x, 40000) - 20000 AS INT))",
}
FLOATING = ("FLOAT", "DOUBLE")
NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)", "DECIMAL(18,3)")
SHAPES = (
    "{h}",
    "pmod({h}, 1000000)",
    "pmod({h}, 100)",
    "pmod({h}, 3)",
    "7L",
    "id",
    "-id",
    "id div 10",
    "CAST(pow(pmod({h}, 1000) / 1000D, 8) * 100000 AS BIGINT)",
    "IF(pmod({h}, 10) < 7, 5L, {h})",
    "IF(pmod({h}, 2) = 0, id, 1000000 - id)",
    "CASE pmod({h}, 5) WHEN 0 THEN -9223372036854775808L WHEN 1 THEN 9223372036854775807L ELSE {h} END",
)
NULL_SHARES = (0, 0, 0, 10, 50, 97, 100)
SOURCES = ("temp view", "Parquet", "cached", "Parquet of several files")
KEYS = {
    "k1": ("INT", "CAST(pmod({h}, {few}) AS INT)", 5),
    "k2": ("BIGINT", "pmod({h}, {many}) * 1000003", 5),
    "ks": ("STRING", "CASE pmod({h}, {few}) WHEN 0 THEN '' WHEN 1 THEN 'schön' ELSE concat('a longer text ', pmod({h}, {few})) END", 5),
    "kb": ("BOOLEAN", "pmod({h}, 3) = 0", 10),
    "kd": ("DATE", "date_add(DATE'2026-01-01', CAST(pmod({h}, {few}) AS INT))", 5),
    "kn": ("DECIMAL(10,2)", "CAST(pmod({h}, {few}) * 0.25BD AS DECIMAL(10,2))", 5),
    "kf": ("DOUBLE", "CASE pmod({h}, 6) WHEN 0 THEN DOUBLE('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE pmod({h}, 6) / 2D END", 5),
}  # fmt: skip
ORDERS = {
    "oi": ("BIGINT", "pmod({h}, {many}) - 20", 8),
    "ot": ("TIMESTAMP", "timestamp_seconds(1767225600 + pmod({h}, {rows}) * 30)", 8),
    "od": ("DATE", "date_add(DATE'2026-01-01', CAST(pmod({h}, {many}) AS INT))", 8),
    "f": ("INT", "CAST(pmod({h}, 4) AS INT)", 10),
}


@dataclass(frozen=True)
class Column:
    """A column of values: its name and its type. `out` converts values to types that Python has."""

    name: str
    type: str

    @property
    def is_months(self):
        """Return whether Python lacks the type."""
        return self.type == "INTERVAL YEAR TO MONTH"

    def out(self, sql):
        """Return the expression that returns a value to Python."""
        return f"(extract(YEAR FROM {sql}) * 12 + extract(MONTH FROM {sql}))" if self.is_months else sql

    def out_each(self, sql):
        """Return the expression that returns an array of values to Python."""
        return f"transform({sql}, e -> {self.out('e')})" if self.is_months else sql

    def out_bounds(self, sql):
        """Return the expression that returns bounds to Python."""
        if not self.is_months:
            return sql
        return f"nullif(named_struct('low', {self.out(f'{sql}.low')}, 'high', {self.out(f'{sql}.high')}), named_struct('low', CAST(NULL AS INT), 'high', CAST(NULL AS INT)))"

    def out_each_bounds(self, sql):
        """Return the expression that returns an array of bounds to Python."""
        low, high = self.out("e.low"), self.out("e.high")
        return f"transform({sql}, e -> named_struct('low', {low}, 'high', {high}))" if self.is_months else sql


class Table:
    """A table, given by the SQL that creates it."""

    def __init__(self, rng, number, most):
        self.name = f"t{number}"
        self.rows = round(10 ** rng.uniform(2, most))
        self._salt = 0
        few, many = rng.choice((1, 2, 5)), rng.choice((3, 40, max(4, self.rows // 4)))
        self._sizes = {"few": few, "many": many, "rows": self.rows}
        types = [*VALUES, *FLOATING]
        rng.shuffle(types)
        self.values = [Column(f"v{i}", kind) for i, kind in enumerate(types[:6])]
        parts = ["id"]
        parts += [f"{self._value(rng, v)} AS {v.name}" for v in self.values]
        parts += [f"{self._of(rng, *of)} AS {name}" for name, of in {**KEYS, **ORDERS}.items()]
        slices = rng.choice((1, 2, 5))
        self.select = f"SELECT {', '.join(parts)} FROM range(0, {self.rows}, 1, {slices})"
        self.source = rng.choice(SOURCES)

    def _hash(self):
        self._salt += 1
        return f"xxhash64(id, '{self.name} {self._salt}')"

    def _nullable(self, sql, share):
        return f"IF(pmod({self._hash()}, 100) < {share}, NULL, {sql})" if share else sql

    def _of(self, rng, kind, sql, share):
        text = sql.format(h=self._hash(), **self._sizes)
        return self._nullable(text, rng.choice((0, share)))

    def _value(self, rng, column):
        shape = rng.choice(SHAPES).format(h=self._hash())
        sql = _filled(VALUES[column.type], f"({shape})")
        if column.type in FLOATING and rng.random() < 0.6:
            special = ["double('NaN')", "double('Infinity')", "double('-Infinity')", "-0.0D", "0.0D"]
            whens = " ".join(f"WHEN {i} THEN CAST({s} AS {column.type})" for i, s in enumerate(special))
            sql = f"CASE pmod({self._hash()}, {rng.choice((5, 20, 100))}) {whens} ELSE {sql} END"
        return f"CAST({self._nullable(sql, rng.choice(NULL_SHARES))} AS {column.type})"

    def statements(self, folder):
        """Return the statements that create the table."""
        view = f"CREATE OR REPLACE TEMP VIEW {self.name} AS"
        if self.source == "temp view":
            return [f"{view} {self.select}"]
        if self.source == "cached":
            return [f"CACHE TABLE {self.name} AS {self.select}"]
        hint = "/*+ REPARTITION(4) */ " if "several" in self.source else "/*+ COALESCE(1) */ "
        stored = f"parquet.`{folder}/{self.name}`"
        return [
            f"INSERT OVERWRITE DIRECTORY '{folder}/{self.name}' USING parquet {self.select.replace('SELECT ', f'SELECT {hint}', 1)}",
            f"{view} SELECT * FROM {stored}",
        ]


def _filled(sql, x):
    """Put a value in place of each separate word `x`."""
    return re.sub(r"\bx\b", lambda _: x, sql)
