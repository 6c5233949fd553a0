package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.shape.EquiDepth
import chronosketch.spark.sketch._
import chronosketch.spark.table.SharedArguments._

/** The functions that ask a stored sketch, and what says what a sketch is. */
private[spark] object ReaderRows {
  val questions: Seq[SqlFunction[Expression]] = Seq(
    reader(
      SketchQuantile,
      "Returns the phi-quantile of a sketch's values. How it can be wrong is the family's promise: by ranks, by a share of the value, or uncertified.",
      Seq(sketch, phi, typed("of the answer"), interpolation),
      "sketch_quantile(s, 0.99)" -> "99.0",
      "sketch_quantile(s, 0.5, interpolation => 'linear')" -> "50.5",
      "sketch_quantile(s, array(0.25, 0.75), 'int')" -> "[25,75]"
    ),
    reader(
      SketchQuantileBounds,
      "Returns two values that enclose the exact phi-quantile of a sketch's values. Of a sample or an imported sketch they do so with the probability sketch_describe(sketch).confidence; of all other sketches always.",
      Seq(sketch, phi, typed("of the bounds, which are rounded outward"), interpolation),
      "sketch_quantile_bounds(s, 0.99)" -> "{\"low\":99.0,\"high\":99.0}"
    ),
    reader(
      SketchRank,
      "Returns how many of a sketch's values are at or below a value. It is an estimate inside sketch_rank_bounds.",
      Seq(sketch, value),
      "sketch_rank(s, 42.5)" -> "42"
    ),
    reader(
      SketchRankBounds,
      "Returns the least and the most of a sketch's values that can be at or below a value. Of a sample or an imported sketch that holds with the probability sketch_describe(sketch).confidence.",
      Seq(sketch, value),
      "sketch_rank_bounds(s, 42)" -> "{\"low\":42,\"high\":42}"
    ),
    reader(
      SketchCdf,
      "Returns the shares of a sketch's values that are at or below each point.",
      Seq(sketch, points),
      "sketch_cdf(s, array(10, 50))" -> "[0.1,0.5]"
    ),
    reader(
      SketchPmf,
      "Returns the shares of a sketch's values that lie between the points. There is one more than points: up to the first, after each up to the next, and after the last.",
      Seq(sketch, points),
      "sketch_pmf(s, array(10, 50))" -> "[0.1,0.4,0.5]"
    ),
    reader(
      SketchHistogram,
      "Returns bins that hold about as many of a sketch's values each, with their counts. A bin holds the values above its lower edge, up to and with its upper edge; the first holds those at its lower edge too. The true count lies between count_low and count_high. A value that fills several bins makes one of them.",
      Seq(
        sketch,
        Argument(
          "bins",
          s"how many: a constant from 1 to ${EquiDepth.MostBins}.",
          Some(Literal(Defaults.Bins))
        ),
        typed("of the edges")
      ),
      "sketch_histogram(s, 2, 'int')" -> "[{\"lower\":1,\"upper\":50,\"count\":50,\"count_low\":50,\"count_high\":50},{\"lower\":50,\"upper\":100,\"count\":50,\"count_low\":50,\"count_high\":50}]"
    ),
    reader(
      SketchBox,
      "Returns what a box plot shows: minimum, lower whisker, quartiles, upper whisker and maximum. Each has a value, and two bounds that enclose the exact one. A whisker ends at the last value that is not more than 1.5 times the interquartile range beyond its quartile.",
      Seq(sketch, typed("of the answers")),
      "sketch_box(s, 'int').q1" -> "{\"value\":25,\"low\":25,\"high\":25}",
      "sketch_box(s).upper_whisker.value" -> "100.0"
    ),
    reader(
      SketchTrimmedMean,
      "Returns the mean of a sketch's values between two quantiles, and two bounds that enclose it. With the ranks from 1 to n these are the values of rank floor(lower * n) + 1 to ceil(upper * n).",
      Seq(
        sketch,
        Argument("lower", "the share of the least values left out.", Some(Literal(Defaults.TrimLower))),
        Argument(
          "upper",
          "1 less the share of the greatest values left out.",
          Some(Literal(Defaults.TrimUpper))
        )
      ),
      "sketch_trimmed_mean(s, 0.05, 0.95)" -> "{\"value\":50.5,\"lower\":50.5,\"upper\":50.5}"
    ),
    reader(
      SketchCount,
      "Returns how many values a sketch has seen. Of a window it is an estimate inside sketch_count_bounds; otherwise it is exact.",
      Seq(sketch),
      "sketch_count(s)" -> "100"
    ),
    reader(
      SketchCountBounds,
      "Returns the least and the most values that a sketch can have seen. They differ only for windows whose edge is not certain.",
      Seq(sketch),
      "sketch_count_bounds(s)" -> "{\"low\":100,\"high\":100}"
    ),
    reader(
      SketchMin,
      "Returns the smallest value of a sketch. Of a window it is the smallest that may lie in it, of an imported histogram where its values begin at the earliest; otherwise it is exact.",
      Seq(sketch, typed("of the answer")),
      "sketch_min(s)" -> "1.0"
    ),
    reader(
      SketchMax,
      "Returns the greatest value of a sketch. Of a window it is the greatest that may lie in it, of an imported histogram where its values end at the latest; otherwise it is exact.",
      Seq(sketch, typed("of the answer")),
      "sketch_max(s, 'bigint')" -> "100"
    ),
    reader(
      SketchRankError,
      "Returns the certified rank error of a sketch, as a share of its count. No quantile of it is wrong by more ranks. Of a sample or an imported sketch that holds with the probability sketch_describe(sketch).confidence. Of a window whose edge is in doubt it may be above epsilon. NULL where the sketch is empty.",
      Seq(sketch),
      "sketch_rank_error(s)" -> "0.0"
    )
  )

  val facts: Seq[SqlFunction[Expression]] = Seq(
    reader(
      SketchDescribe,
      "Returns what a sketch is: family, format, value type, parameters, count, bytes and error. The error and all bounds hold with the probability that stands in confidence: 1 is always. Of an imported sketch that is the probability for each question.",
      Seq(sketch),
      "sketch_describe(s).value_type" -> "BIGINT"
    ),
    row(
      IsSketch,
      "Returns whether a BINARY is a whole sketch that this version reads. It never fails.",
      Seq(Argument("binary", "any BINARY.")),
      Seq(Example("SELECT is_sketch(X'CAFE')", "false"), Example(hundred("is_sketch(s)"), "true"))
    ),
    row(
      ChronosketchVersion,
      "Returns the version of the chronosketch jar that answers.",
      Nil,
      Seq(Example("SELECT chronosketch_version()", chronosketch.Version.value))
    )
  )

  /** A query of a sketch `s` of the numbers 1 to 100: it is short, and its answers can be checked in the head. */
  private[table] def hundred(select: String): String =
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
