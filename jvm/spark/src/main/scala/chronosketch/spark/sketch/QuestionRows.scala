package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.shape.EquiDepth
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The functions that ask a stored sketch, those that merge two, and those that describe one. */
private[spark] object QuestionRows {
  private val lookedUp = Argument(
    "value",
    "the value to look up: a constant or a column of a type that can be compared with the sketch's values. It is compared without rounding. NULL gives NULL."
  )

  val questions: Seq[SqlFunction[Expression]] = Seq(
    reader(
      SketchQuantile,
      "Returns the phi-quantile of a sketch's values. The family of the sketch says how wrong it can be: by ranks, by a share of the value, or without a certificate. The answer is a DOUBLE unless you name a type. It is NULL for a NULL or empty sketch.",
      Seq(sketch, phiOrColumn, typed("of the answer"), interpolation),
      "sketch_quantile(s, 0.99)" -> "99.0",
      "sketch_quantile(s, 0.5, interpolation => 'linear')" -> "50.5",
      "sketch_quantile(s, array(0.25, 0.75), 'int')" -> "[25,75]"
    ),
    reader(
      SketchQuantileBounds,
      "Returns a lower and an upper bound of the exact phi-quantile of a sketch's values. They always contain it; for a sample or an imported sketch they do so with the probability sketch_describe(sketch).confidence. The answer is a STRUCT<low, high> of DOUBLE unless you name a type. It is NULL for a NULL or empty sketch.",
      Seq(sketch, phiOrColumn, typed("of the bounds, which are rounded outward"), interpolation),
      "sketch_quantile_bounds(s, 0.99)" -> "{\"low\":99.0,\"high\":99.0}"
    ),
    reader(
      SketchRank,
      "Returns how many of a sketch's values are at or below a value. The answer is a BIGINT: an estimate that lies within sketch_rank_bounds. It is NULL for a NULL or empty sketch.",
      Seq(sketch, lookedUp),
      "sketch_rank(s, 42.5)" -> "42"
    ),
    reader(
      SketchRankBounds,
      "Returns a lower and an upper bound of how many of a sketch's values are at or below a value. The exact number always lies within them; for a sample or an imported sketch it does so with the probability sketch_describe(sketch).confidence. The answer is a STRUCT<low, high> of BIGINT. It is NULL for a NULL or empty sketch.",
      Seq(sketch, lookedUp),
      "sketch_rank_bounds(s, 42)" -> "{\"low\":42,\"high\":42}"
    ),
    reader(
      SketchCdf,
      "Returns the shares of a sketch's values that are at or below each point. The answer is a DOUBLE from 0 to 1 for one point, or an ARRAY<DOUBLE> with one share for each point. It is NULL for a NULL or empty sketch.",
      Seq(sketch, points),
      "sketch_cdf(s, 42)" -> "0.42",
      "sketch_cdf(s, array(10, 50))" -> "[0.1,0.5]"
    ),
    reader(
      SketchCdfBounds,
      "Returns the shares of a sketch's values that are at or below each point, with their bounds. The exact share always lies within the bounds; for a sample or an imported sketch it does so with the probability sketch_describe(sketch).confidence. The answer is a STRUCT<share, low, high> of DOUBLE for one point, or an ARRAY of these with one for each point; share is the answer of sketch_cdf. It is NULL for a NULL or empty sketch.",
      Seq(sketch, points),
      "sketch_cdf_bounds(s, 42)" -> "{\"share\":0.42,\"low\":0.42,\"high\":0.42}"
    ),
    reader(
      SketchPmf,
      "Returns the shares of a sketch's values that lie between the points. The answer is an ARRAY<DOUBLE> with one share more than there are points. The first is the share up to and including the first point. The next ones are the shares above one point, up to and including the next. The last is the share above the last point. It is NULL for a NULL or empty sketch.",
      Seq(sketch, points),
      "sketch_pmf(s, array(10, 50))" -> "[0.1,0.4,0.5]"
    ),
    reader(
      SketchHistogram,
      "Returns bins that each hold about the same number of a sketch's values, with their counts. A bin holds the values above its lower edge, up to and including its upper edge. The first bin includes its lower edge too. The exact count lies within count_low and count_high. If one value fills several bins, they become one. The answer is an ARRAY<STRUCT<lower, upper, count, count_low, count_high>>. It is NULL for a NULL or empty sketch.",
      Seq(
        sketch,
        Argument(
          "bins",
          s"how many bins: a constant from 1 to ${EquiDepth.MostBins}.",
          Some(Literal(Defaults.Bins))
        ),
        typed("of the edges")
      ),
      "sketch_histogram(s, 2, 'int')" -> "[{\"lower\":1,\"upper\":50,\"count\":50,\"count_low\":50,\"count_high\":50},{\"lower\":50,\"upper\":100,\"count\":50,\"count_low\":50,\"count_high\":50}]"
    ),
    reader(
      SketchBox,
      "Returns what a box plot shows: minimum, lower whisker, quartiles, upper whisker and maximum. Each is a STRUCT<value, low, high>: the value, plus a lower and an upper bound of the exact one. A whisker ends at the last value that is at most 1.5 times the interquartile range beyond its quartile. The answer is a STRUCT<minimum, lower_whisker, q1, median, q3, upper_whisker, maximum>. It is NULL for a NULL or empty sketch.",
      Seq(sketch, typed("of the answers")),
      "sketch_box(s, 'int').q1" -> "{\"value\":25,\"low\":25,\"high\":25}",
      "sketch_box(s).upper_whisker.value" -> "100.0"
    ),
    reader(
      SketchTrimmedMean,
      "Returns the mean of a sketch's values between two quantiles, plus a lower and an upper bound of it. It takes the values with the ranks floor(lower * n) + 1 to ceil(upper * n), if there are n. They must be numbers. The answer is a STRUCT<value, lower, upper> of DOUBLE. It is NULL for a NULL or empty sketch.",
      Seq(
        sketch,
        Argument(
          "lower",
          "the share of the smallest values that is left out: 0.1 leaves out the smallest tenth.",
          Some(Literal(Defaults.TrimLower))
        ),
        Argument(
          "upper",
          "1 minus the share of the greatest values that is left out: 0.9 leaves out the greatest tenth.",
          Some(Literal(Defaults.TrimUpper))
        )
      ),
      "sketch_trimmed_mean(s, 0.05, 0.95)" -> "{\"value\":50.5,\"lower\":50.5,\"upper\":50.5}"
    ),
    reader(
      SketchCount,
      "Returns how many values a sketch has seen. The answer is a BIGINT, and 0 for an empty sketch. It is exact, except for a window: then it is an estimate that lies within sketch_count_bounds.",
      Seq(sketch),
      "sketch_count(s)" -> "100"
    ),
    reader(
      SketchCountBounds,
      "Returns a lower and an upper bound of how many values a sketch has seen. They differ only for a window whose edge is not certain. The answer is a STRUCT<low, high> of BIGINT.",
      Seq(sketch),
      "sketch_count_bounds(s)" -> "{\"low\":100,\"high\":100}"
    ),
    reader(
      SketchMin,
      "Returns the smallest value of a sketch. It is exact, with two exceptions. For a window it is the smallest value that may lie in it. For an imported histogram it is the lowest place where its values can begin. The answer is a DOUBLE unless you name a type. It is NULL for a NULL or empty sketch.",
      Seq(sketch, typed("of the answer")),
      "sketch_min(s)" -> "1.0"
    ),
    reader(
      SketchMax,
      "Returns the greatest value of a sketch. It is exact, with two exceptions. For a window it is the greatest value that may lie in it. For an imported histogram it is the highest place where its values can end. The answer is a DOUBLE unless you name a type. It is NULL for a NULL or empty sketch.",
      Seq(sketch, typed("of the answer")),
      "sketch_max(s, 'bigint')" -> "100"
    ),
    reader(
      SketchRankError,
      "Returns the certified rank error of a sketch, as a share of its count. No quantile of the sketch is wrong by more ranks. For a sample or an imported sketch that holds with the probability sketch_describe(sketch).confidence. For a window whose edge is not certain the error may be above epsilon. The answer is a DOUBLE from 0 to 1; 0 means exact. It is NULL for a NULL or empty sketch.",
      Seq(sketch),
      "sketch_rank_error(s)" -> "0.0"
    )
  )

  private val united = Seq(
    sketch.copy(name = "left", meaning = "a BINARY sketch."),
    sketch.copy(name = "right", meaning = s"another BINARY sketch, of the same family. $mergeable")
  )

  val merging: Seq[SqlFunction[Expression]] = Seq(
    row(
      SketchMerge,
      "Merges two sketches into one sketch of all their values. The merged sketch certifies its own error. It is a BINARY, or NULL if one of the two is NULL.",
      united,
      Seq(Example(hundred("sketch_count(sketch_merge(s, s))"), "200"))
    ),
    row(
      SketchMergeOr,
      "Merges two sketches, either of which may be NULL, into one sketch of all their values. If one is NULL, the answer has the values of the other. Use it where a row may lack a sketch: in MERGE INTO a table of sketches, and after an outer join. The answer is a BINARY. It is NULL only if both are NULL.",
      united,
      Seq(Example(hundred("sketch_count(sketch_merge_or(s, NULL))"), "100"))
    ),
    row(
      SketchCast(asSummary = false),
      "Returns the sketch with its values cast to another type. A cast keeps the order of values, so all certified bounds of ranks stay true. It rounds as CAST does: numbers become whole numbers by dropping their fraction, and decimals by rounding. A value that the type does not have is an error. The answer is a BINARY. It is NULL for a NULL sketch.",
      Seq(
        sketch.copy(meaning = "a BINARY sketch. NULL gives NULL."),
        Argument(
          "type",
          "the name of the SQL type that the values get, for example 'decimal(10, 2)': a constant. Numbers become numbers of any type. DATE and TIMESTAMP_NTZ become one another, and intervals and times get other fields and digits."
        )
      ),
      Seq(
        Example(hundred("sketch_describe(sketch_cast(s, 'double')).value_type"), "DOUBLE"),
        Example(hundred("sketch_quantile(sketch_cast(s, 'decimal(4,1)'), 0.5, 'decimal(4,1)')"), "50.0")
      )
    )
  )

  val samples: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SketchSample.name,
      SqlFunction.Scalars,
      "Returns the values of a sample, in ascending order. The answer is an ARRAY of DOUBLE unless you name a type.",
      Seq(
        Argument(
          "sketch",
          "a BINARY sketch of sample_sketch_agg or window_sample_agg, or one window of the latter. NULL gives NULL."
        ),
        typed("of the values")
      ),
      Seq(
        Example("SELECT sketch_sample(sample_sketch_agg(id), 'int') FROM range(1, 4)", "[1,2,3]")
      ),
      Ask.of(SketchSample, _)
    )
  )

  val facts: Seq[SqlFunction[Expression]] = Seq(
    reader(
      SketchDescribe,
      "Returns what a sketch is: family, format, value type, parameters, count, bytes and error. The error and all bounds hold with the probability in the field confidence; 1 means always. For an imported sketch that is the probability for each question by itself. The answer is a STRUCT; a field that a family does not have is NULL.",
      Seq(sketch),
      "sketch_describe(s).value_type" -> "BIGINT"
    ),
    row(
      IsSketch,
      "Returns whether a BINARY is a whole sketch that this version reads. It never fails, so you can use it to find the bad rows of a table. The answer is a BOOLEAN.",
      Seq(Argument("binary", "any BINARY. NULL gives NULL.")),
      Seq(Example("SELECT is_sketch(X'CAFE')", "false"), Example(hundred("is_sketch(s)"), "true"))
    ),
    row(
      ChronosketchVersion,
      "Returns the version of the chronosketch jar that answers. The answer is a STRING.",
      Nil,
      Seq(Example("SELECT chronosketch_version()", chronosketch.Version.value))
    )
  )

  /** A query that asks a sketch `s` of the numbers 1 to 100. It is short, and its answers are easy to check mentally. */
  private def hundred(select: String): String =
    s"SELECT $select FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1, 101))"

  private def reader(
      question: Question,
      usage: String,
      arguments: Seq[Argument],
      examples: (String, String)*
  ): SqlFunction[Expression] =
    row(question, usage, arguments, examples.map { case (call, answer) => Example(hundred(call), answer) })

  private def row(
      question: Question,
      usage: String,
      arguments: Seq[Argument],
      examples: Seq[Example]
  ): SqlFunction[Expression] =
    SqlFunction(question.name, SqlFunction.Scalars, usage, arguments, examples, Ask.of(question, _))
}
