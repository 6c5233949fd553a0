package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{ArrayType, StringType}

import chronosketch.ddsketch.DDSketches
import chronosketch.quantile.QuantileSketch
import chronosketch.spark.aggregate.{
  Answer,
  AsQuantile,
  AsQuantileBounds,
  AsSketch,
  QloveSketchAggregate,
  SketchAggregate,
  SketchMergeAggregate
}
import chronosketch.spark.hopping.HoppingSketch
import chronosketch.spark.sketch.{
  Ask,
  ChronosketchVersion,
  IsSketch,
  Question,
  SketchCdf,
  SketchCount,
  SketchCountBounds,
  SketchDescribe,
  SketchMax,
  SketchMerge,
  SketchMin,
  SketchPmf,
  SketchQuantile,
  SketchQuantileBounds,
  SketchRank,
  SketchRankBounds,
  SketchRankError
}
import chronosketch.spark.window.{
  AmongLast,
  Passing,
  SketchWindow,
  WindowQuantileAggregate,
  WindowSketchAggregate,
  WithinLast
}
import chronosketch.window.WindowSketches

/** THE list of functions: SQL has these, and Python and Scala mirror them; a test compares all three. */
object FunctionTable {
  private val Since = "0.1.0"
  private val Aggregates = "agg_funcs"
  private val Scalars = "misc_funcs"
  private val Predicates = "predicate_funcs"
  private val Tables = "table_funcs"

  private val value =
    Argument(
      "value",
      "what is measured: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or INTERVAL. NULLs are skipped."
    )
  private val phi = Argument(
    "phi",
    "the share of the values at or below the answer, in [0, 1]: 0.99 for the 99th percentile. An array asks several at once."
  )
  private val frequency = Argument(
    "frequency",
    "a whole-number column: how many copies of the value each row stands for. NULL and 0 count nothing.",
    Some(Literal(null))
  )
  private def epsilon(default: Double) = Argument(
    "epsilon",
    "the rank error allowed, as a share of the count, in [0, 0.5]. 0 is exact, in memory that grows with the data.",
    Some(Literal(default))
  )
  private val sketch = Argument("sketch", "a sketch, as quantile_sketch_agg builds it.")
  private def typed(of: String) =
    Argument(
      "type",
      s"the type $of: the sketch's own for dates, times and intervals; any number type for numbers.",
      Some(Literal("double"))
    )

  private val eventTime = Argument(
    "event_time",
    "when the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows without one are not there."
  )
  private val window = Argument(
    "window",
    "the rows meant, back from the newest: an interval, its text, or within_last(interval), among_last(n) and conditions put together with AND and OR."
  )
  private val asOf = Argument(
    "as_of",
    "a constant of event_time's type: windows end there, and later rows do not count.",
    Some(Literal(null))
  )
  private def windowEpsilon = epsilon(WindowSketches.Epsilon.default)

  private def quantileAggregate(name: String, answer: Answer)(e: Seq[Expression]): Expression =
    SketchAggregate(name, QuantileSketch, answer, e(0), Some(e(1)), Seq(e(2)), e(3))

  private def ask(question: Question)(e: Seq[Expression]): Expression = Ask.of(question, e)

  // sketches of the numbers 1 to 100 for the examples: short, and with answers that can be checked in the head
  private def hundred(select: String) =
    s"SELECT $select FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1, 101))"

  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "approx_quantile",
      Aggregates,
      "the phi-quantile of the values, within epsilon * count ranks of the exact one, in the values' own type.",
      Seq(value, phi, epsilon(1e-4), frequency),
      Seq(
        Example("SELECT approx_quantile(id, 0.99) FROM range(1, 101)", "99"),
        Example(
          "SELECT approx_quantile(id, array(0.5, 0.99), epsilon => 0.001) FROM range(1, 101)",
          "[50,99]"
        ),
        Example("SELECT approx_quantile(v, 0.5, frequency => n) FROM VALUES (1, 1), (2, 9) AS t(v, n)", "2")
      ),
      Since,
      quantileAggregate("approx_quantile", AsQuantile)
    ),
    SqlFunction(
      "approx_quantile_bounds",
      Aggregates,
      "two values between which the exact phi-quantile lies, always: equal where the answer is exact.",
      Seq(value, phi, epsilon(1e-4), frequency),
      Seq(Example("SELECT approx_quantile_bounds(id, 0.99) FROM range(1, 101)", "{\"low\":99,\"high\":99}")),
      Since,
      quantileAggregate("approx_quantile_bounds", AsQuantileBounds)
    ),
    SqlFunction(
      "quantile_sketch_agg",
      Aggregates,
      "a sketch of the values that answers any quantile and rank, with its certified error, and merges with others.",
      Seq(value, epsilon(QuantileSketch.Epsilon.default), frequency),
      Seq(
        Example(
          "SELECT sketch_quantile(quantile_sketch_agg(id), 0.5, 'bigint') FROM range(1, 101)",
          "50"
        )
      ),
      Since,
      e => SketchAggregate("quantile_sketch_agg", QuantileSketch, AsSketch, e(0), None, Seq(e(1)), e(2))
    ),
    SqlFunction(
      WindowQuantileAggregate.Name,
      Aggregates,
      "the phi-quantile of the rows inside a window, counted back from the newest row of the group or from as_of.",
      Seq(value, eventTime, phi, window, windowEpsilon, asOf),
      Seq(
        Example("SELECT approx_window_quantile(id, id, 0.5, 10) FROM range(1, 101)", "95"),
        Example(
          "SELECT approx_window_quantile(v, t, 0.5, '10 minutes') FROM VALUES (1, TIMESTAMP'2026-01-01 12:00'), (2, TIMESTAMP'2026-01-01 12:05'), (3, TIMESTAMP'2026-01-01 12:10') AS t(v, t)",
          "2"
        ),
        Example(
          "SELECT approx_window_quantile(id, id, array(0, 1), within_last(10) AND id % 5 = 0 OR among_last(1), as_of => 50) FROM range(1, 101)",
          "[45,50]"
        )
      ),
      Since,
      WindowQuantileAggregate.of
    ),
    SqlFunction(
      WithinLast.Name,
      Predicates,
      "in the window of a function: the rows of the last interval of time, (newest - interval, newest].",
      Seq(
        Argument("interval", "an interval, its text, or a whole number of the units of whole-number times.")
      ),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, within_last(10)) FROM range(1, 101)", "95")),
      Since,
      e => WithinLast(e(0))
    ),
    SqlFunction(
      AmongLast.Name,
      Predicates,
      "in the window of a function: the newest n rows.",
      Seq(Argument("n", "how many rows.")),
      Seq(Example("SELECT approx_window_quantile(id, id, 0.5, among_last(20)) FROM range(1, 101)", "90")),
      Since,
      e => AmongLast(e(0))
    ),
    SqlFunction(
      Passing.Name,
      Predicates,
      "in the window of sketch_window: the rows that passed a filter which the sketch was built with.",
      Seq(Argument("filter", "the name that window_sketch_agg was given for it.")),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(s, passing('even') AND within_last(10)), 0.5) FROM (SELECT window_sketch_agg(id, id, filters => map('even', id % 2 = 0)) AS s FROM range(1, 101))",
          "96.0"
        )
      ),
      Since,
      e => Passing(e(0))
    ),
    SqlFunction(
      WindowSketchAggregate.Name,
      Aggregates,
      "a sketch of the values that any window back from the newest row is taken from later, by sketch_window.",
      Seq(
        value,
        eventTime,
        windowEpsilon,
        Argument(
          "retention",
          "an interval, or a whole number of event_time's units: how far back windows may reach. Everything is kept where it is not given.",
          Some(Literal(null))
        ),
        Argument(
          "filters",
          "conditions on rows under names, map('errors', status >= 500): windows over the rows that pass. 6 at most.",
          Some(Literal(null))
        )
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(window_sketch_agg(id, id), 10), 0.5) FROM range(1, 101)",
          "95.0"
        )
      ),
      Since,
      WindowSketchAggregate.of
    ),
    SqlFunction(
      QloveSketchAggregate.Name,
      Aggregates,
      "one pane of the windows that the phis named here will be asked of: low error of value, for panes of a thousand rows too. sketch_merge_agg joins panes.",
      Seq(
        value,
        eventTime,
        Argument("phis", "the phis that will be asked, one or an array of them; no others can be."),
        Argument("panes", "of how many panes a full window consists."),
        Argument(
          "budget",
          "how many values a pane keeps for each phi from 0.9 on; 0: none. Half of what makes a window's answer exact, where panes are small, if it is not given.",
          Some(Literal(null))
        )
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(qlove_sketch_agg(id, id, array(0.5, 0.99), 1), array(0.5, 0.99)) FROM range(1, 101)",
          "[50.0,99.0]"
        ),
        Example(
          "SELECT sketch_quantile(sketch_merge_agg(s), 0.5) FROM (SELECT qlove_sketch_agg(id, id, 0.5, panes => 4) AS s FROM range(1, 101) GROUP BY (id - 1) div 25)",
          "50.5"
        )
      ),
      Since,
      QloveSketchAggregate.of
    ),
    SqlFunction(
      "ddsketch_agg",
      Aggregates,
      "a DDSketch of numbers: any quantile of it is within a share alpha of the exact one. Merges with others of the same alpha.",
      Seq(
        value.copy(meaning = "what is measured: a number. NULLs are skipped."),
        Argument(
          "alpha",
          s"the error allowed, as a share of the exact value, in ${DDSketches.Alpha.range}.",
          Some(Literal(DDSketches.Alpha.default))
        ),
        frequency
      ),
      Seq(
        Example("SELECT sketch_quantile(ddsketch_agg(id), 0.25) FROM range(1, 101)", "25.0"),
        Example(
          "SELECT abs(sketch_quantile(ddsketch_agg(id, 0.02), 0.99) - 990) <= 0.02 * 990 FROM range(1, 1001)",
          "true"
        )
      ),
      Since,
      e => SketchAggregate("ddsketch_agg", DDSketches, AsSketch, e(0), None, Seq(e(1)), e(2))
    ),
    SqlFunction(
      SketchMergeAggregate.Name,
      Aggregates,
      "the union of sketches; the certified error travels with it. NULL where there is none.",
      Seq(sketch),
      Seq(
        Example(
          "SELECT sketch_count(sketch_merge_agg(s)) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1, 101) GROUP BY id % 7)",
          "100"
        )
      ),
      Since,
      e => SketchMergeAggregate(e(0))
    ),
    SqlFunction(
      "sketch_merge",
      Scalars,
      "the union of two sketches; the certified error travels with it.",
      Seq(
        sketch.copy(name = "left"),
        sketch.copy(name = "right", meaning = "another, of the same family and a value type that widens.")
      ),
      Seq(Example(hundred("sketch_count(sketch_merge(s, s))"), "200")),
      Since,
      ask(SketchMerge)
    ),
    SqlFunction(
      SketchWindow.Name,
      Scalars,
      "the sketch of one window of a window sketch: any question about a sketch may be asked of it.",
      Seq(
        sketch.copy(meaning = "a sketch, as window_sketch_agg builds it."),
        window.copy(meaning =
          "the rows meant, back from the newest: an interval, its text, or within_last(interval), among_last(n) and passing('filter') put together with AND, OR and, of filters, NOT."
        ),
        asOf
      ),
      Seq(
        Example(
          "SELECT sketch_count(sketch_window(s, within_last(10) OR among_last(5))) FROM (SELECT window_sketch_agg(id, id) AS s FROM range(1, 101))",
          "10"
        )
      ),
      Since,
      SketchWindow.of
    ),
    SqlFunction(
      "sketch_quantile",
      Scalars,
      "the phi-quantile of a sketch's elements.",
      Seq(sketch, phi, typed("of the answer")),
      Seq(
        Example(hundred("sketch_quantile(s, 0.99)"), "99.0"),
        Example(hundred("sketch_quantile(s, array(0.25, 0.75), 'int')"), "[25,75]")
      ),
      Since,
      ask(SketchQuantile)
    ),
    SqlFunction(
      "sketch_quantile_bounds",
      Scalars,
      "two values between which the exact phi-quantile of the elements lies, always.",
      Seq(sketch, phi, typed("of the bounds, which are rounded outward")),
      Seq(Example(hundred("sketch_quantile_bounds(s, 0.99)"), "{\"low\":99.0,\"high\":99.0}")),
      Since,
      ask(SketchQuantileBounds)
    ),
    SqlFunction(
      "sketch_rank",
      Scalars,
      "how many elements of a sketch are at or below a value.",
      Seq(sketch, value),
      Seq(Example(hundred("sketch_rank(s, 42.5)"), "42")),
      Since,
      ask(SketchRank)
    ),
    SqlFunction(
      "sketch_rank_bounds",
      Scalars,
      "the least and the most elements of a sketch that can be at or below a value.",
      Seq(sketch, value),
      Seq(Example(hundred("sketch_rank_bounds(s, 42)"), "{\"low\":42,\"high\":42}")),
      Since,
      ask(SketchRankBounds)
    ),
    SqlFunction(
      "sketch_cdf",
      Scalars,
      "the shares of a sketch's elements that are at or below each point.",
      Seq(sketch, Argument("points", "an array of values that strictly increase.")),
      Seq(Example(hundred("sketch_cdf(s, array(10, 50))"), "[0.1,0.5]")),
      Since,
      ask(SketchCdf)
    ),
    SqlFunction(
      "sketch_pmf",
      Scalars,
      "the shares of a sketch's elements between the points: up to the first, after each up to the next, after the last.",
      Seq(sketch, Argument("points", "an array of values that strictly increase.")),
      Seq(Example(hundred("sketch_pmf(s, array(10, 50))"), "[0.1,0.4,0.5]")),
      Since,
      ask(SketchPmf)
    ),
    SqlFunction(
      "sketch_count",
      Scalars,
      "how many elements a sketch has seen: exactly, but of a window the best estimate.",
      Seq(sketch),
      Seq(Example(hundred("sketch_count(s)"), "100")),
      Since,
      ask(SketchCount)
    ),
    SqlFunction(
      "sketch_count_bounds",
      Scalars,
      "the least and the most elements that a sketch can have: equal but for windows whose edge is not certain.",
      Seq(sketch),
      Seq(Example(hundred("sketch_count_bounds(s)"), "{\"low\":100,\"high\":100}")),
      Since,
      ask(SketchCountBounds)
    ),
    SqlFunction(
      "sketch_min",
      Scalars,
      "the least element of a sketch, exactly.",
      Seq(sketch, typed("of the answer")),
      Seq(Example(hundred("sketch_min(s)"), "1.0")),
      Since,
      ask(SketchMin)
    ),
    SqlFunction(
      "sketch_max",
      Scalars,
      "the greatest element of a sketch, exactly.",
      Seq(sketch, typed("of the answer")),
      Seq(Example(hundred("sketch_max(s, 'bigint')"), "100")),
      Since,
      ask(SketchMax)
    ),
    SqlFunction(
      "sketch_rank_error",
      Scalars,
      "the most ranks by which any quantile of this sketch can be wrong, as a share of its count: certified, not estimated. Families that promise another error refuse.",
      Seq(sketch),
      Seq(Example(hundred("sketch_rank_error(s)"), "0.0")),
      Since,
      ask(SketchRankError)
    ),
    SqlFunction(
      "sketch_describe",
      Scalars,
      "what a sketch is: family, format, value type, parameters, count, bytes, certified error, whether it is exact.",
      Seq(sketch),
      Seq(Example(hundred("sketch_describe(s).value_type"), "BIGINT")),
      Since,
      ask(SketchDescribe)
    ),
    SqlFunction(
      "is_sketch",
      Scalars,
      "whether a BINARY is a whole sketch that this version reads. Never fails.",
      Seq(Argument("binary", "any BINARY.")),
      Seq(Example("SELECT is_sketch(X'CAFE')", "false"), Example(hundred("is_sketch(s)"), "true")),
      Since,
      ask(IsSketch)
    ),
    SqlFunction(
      "chronosketch_version",
      Scalars,
      "the version of the chronosketch jar that answers.",
      Nil,
      Seq(Example("SELECT chronosketch_version()", chronosketch.Version.value)),
      Since,
      ask(ChronosketchVersion)
    )
  )

  private[spark] val noTexts = Some(Literal.create(Seq.empty[String], ArrayType(StringType)))

  /** The functions that stand where a table does. */
  val tables: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      HoppingSketch.Name,
      Tables,
      "aggregates of the rows of every hopping window, as GROUP BY window(event_time, size, slide) has them, each row touched once.",
      Seq(
        Argument(
          "input",
          "TABLE(name) or TABLE(SELECT ...): the rows, or what to group them by and the aggregates too, as a GROUP BY without the windows."
        ),
        Argument(
          "event_time",
          "the name of the TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened."
        ),
        Argument("size", "how long a window is: an interval or its text, '10 minutes'."),
        Argument("slide", "from the beginning of a window to that of the next: an interval or its text."),
        Argument(
          "aggs",
          "an array of the aggregates as text, array('count(*) AS n'); none where the input is a GROUP BY.",
          noTexts
        ),
        Argument(
          "by",
          "an array of the names of the columns to group by, beside the windows.",
          noTexts
        )
      ),
      Seq(
        Example(
          "SELECT max_by(q, window.start) FROM hopping_sketch(TABLE(SELECT timestamp_seconds(id * 60) AS ts, id FROM range(0, 60)), event_time => 'ts', size => '1 hour', slide => '30 minutes', aggs => array('approx_quantile(id, 0.5) AS q'))",
          "44"
        )
      ),
      Since,
      HoppingSketch.of
    )
  )

  /** What a session is given. */
  def registrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] =
    all.flatMap(_.registrations)

  /** The table functions that a session is given. */
  def tableRegistrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)] =
    tables.flatMap(_.registrations)
}
