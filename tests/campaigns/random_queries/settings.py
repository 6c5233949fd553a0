"""Random settings that change how a query runs, but never its answer."""

from __future__ import annotations

SWITCH = ("true", "false")
STRUCTURES = [
    "auto",
    "block_sort",
    "greenwald_khanna",
    "arasu_manku",
    "arasu_manku_variable",
    "cmqs",
    "expiration_list",
    "bernoulli",
    "priority",
    "bounded_priority",
    "two_stacks",
    "daba",
]
SAMPLING = ("bernoulli", "priority", "bounded_priority")
STRUCTURE = "spark.chronosketch.sliding.structure"
EXACT_ROWS = "spark.chronosketch.sliding.exactFrameRows"
SLIDING = "spark.chronosketch.sliding.enabled"

CHOICES = {
    "spark.sql.adaptive.enabled": SWITCH,
    "spark.sql.codegen.wholeStage": SWITCH,
    "spark.sql.codegen.factoryMode": ("FALLBACK", "NO_CODEGEN"),
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": ("128", "1", "7"),
    "spark.sql.execution.useObjectHashAggregateExec": (*["true"] * 4, "false"),
    "spark.sql.shuffle.partitions": (*["1"] * 12, *["3"] * 12, "200"),
    "spark.sql.ansi.enabled": SWITCH,
    "spark.sql.parquet.enableVectorizedReader": ("true", "true", "false"),
    "spark.chronosketch.aggregate.enabled": ("true", "true", "false"),
    "spark.chronosketch.aggregate.columns": SWITCH,
    "spark.chronosketch.aggregate.cube": ("true", "true", "false"),
    SLIDING: ("true", "true", "true", "false"),
    STRUCTURE: (*["auto"] * 6, *STRUCTURES),
    EXACT_ROWS: ("10000000", "1", "50"),
    "spark.chronosketch.sliding.ranges": ("0", "0", "1", "3"),
    "spark.chronosketch.sliding.accelerate": ("", "all"),
}


class Settings:
    """The settings of a session. Only changes are sent."""

    def __init__(self, spark):
        self._spark, self.now = spark, {}

    def draw(self, rng, fixed=()):
        """Draw all settings, except those in `fixed`."""
        wanted = {name: rng.choice(choices) for name, choices in CHOICES.items()}
        self.set({**wanted, **dict(fixed)})

    def set(self, wanted):
        """Set some settings."""
        for name, value in wanted.items():
            if self.now.get(name) != value:
                self._spark.conf.set(name, value)
                self.now[name] = value

    def statements(self):
        """Return the SQL statements that set them again."""
        return [f"SET {name} = {value};" for name, value in self.now.items()]
