package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.ddsketch.DDSketches
import chronosketch.moments.MomentsSketches
import chronosketch.quantile.QuantileFamily
import chronosketch.spark.sql.{Interpolation, SumArgument, TailArgument}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}
import chronosketch.summary.{InsertingFamily, Inserts}
import chronosketch.summed.SummedFamily

/** The aggregate functions that summarise one column or a pair of columns. */
private[spark] object AggregateRows {
  private val number = "a number (a DECIMAL has at most 18 digits)"

  /** Those that return quantiles. */
  val quantiles: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "approx_quantile",
      SqlFunction.Aggregates,
      "Returns the phi-quantile of the values, wrong by at most epsilon * count ranks. The answer has the type of the values, or DOUBLE with interpolation => 'linear'. It is NULL if there are no values. You can also use it with OVER, or as approx_quantile(phi) WITHIN GROUP (ORDER BY value). ORDER BY value DESC counts from the greatest value, as percentile_disc does.",
      Seq(value, phi, epsilon(Defaults.AnswerEpsilon), weight, interpolation, tail),
      Seq(
        Example("SELECT approx_quantile(id, 0.99) FROM range(1, 101)", "99"),
        Example(
          "SELECT approx_quantile(id, array(0.5, 0.99), epsilon => 0.001) FROM range(1, 101)",
          "[50,99]"
        ),
        Example("SELECT approx_quantile(v, 0.5, frequency => n) FROM VALUES (1, 1), (2, 9) AS t(v, n)", "2"),
        Example("SELECT approx_quantile(id, 0.5, interpolation => 'linear') FROM range(1, 101)", "50.5"),
        Example("SELECT approx_quantile(0.9) WITHIN GROUP (ORDER BY id DESC) FROM range(1, 101)", "11"),
        Example(
          "SELECT abs(approx_quantile(id, 0.9999, 0.01, tail => 'high') - 999900) <= 0.01 * 101 FROM range(1, 1000001)",
          "true"
        )
      ),
      quantile("approx_quantile", AsQuantile, AsLinearQuantile)
    ),
    SqlFunction(
      "approx_quantile_bounds",
      SqlFunction.Aggregates,
      "Returns a lower and an upper bound that always contain the exact phi-quantile. The answer is a STRUCT<low, high> of the type of the values, or of DOUBLE with interpolation => 'linear'. The two are equal if the answer is exact. It is NULL if there are no values. It takes OVER and WITHIN GROUP as approx_quantile does.",
      Seq(value, phi, epsilon(Defaults.AnswerEpsilon), weight, interpolation, tail),
      Seq(Example("SELECT approx_quantile_bounds(id, 0.99) FROM range(1, 101)", "{\"low\":99,\"high\":99}")),
      quantile("approx_quantile_bounds", AsQuantileBounds, AsLinearQuantileBounds)
    )
  )

  /** Those that return the least or the greatest values. */
  val extremes: Seq[SqlFunction[Expression]] = Seq(
    ends(
      ExtremeValues.Least,
      isGreatest = false,
      "Returns the n smallest values, in ascending order.",
      "[1,2,3]"
    ),
    ends(
      ExtremeValues.Greatest,
      isGreatest = true,
      "Returns the n greatest values, in descending order.",
      "[100,99,98]"
    )
  )

  val quantileSketch: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "quantile_sketch_agg",
      SqlFunction.Aggregates,
      "Builds a sketch that answers any quantile and rank, with a certified rank error. With sum => true it answers sums, means and variances, too. The sketch is a BINARY; a group without values gives an empty one. Ask it with sketch_quantile, sketch_rank and others. Merge it with sketch_merge_agg.",
      Seq(value, epsilon(Defaults.SketchEpsilon), frequency, tail, sum),
      Seq(
        Example("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5, 'bigint') FROM range(1, 101)", "50"),
        Example(
          "SELECT sketch_quantile_bounds(quantile_sketch_agg(id, 0.01, tail => 'high'), 0.9999, 'bigint').high < 999903 FROM range(1, 1000001)",
          "true"
        ),
        Example(
          "SELECT sketch_mean(quantile_sketch_agg(id, sum => true)) FROM range(1, 101)",
          "50.5"
        )
      ),
      e =>
        SketchAggregate(
          "quantile_sketch_agg",
          summed("quantile_sketch_agg", family("quantile_sketch_agg", e(3)), e(4)),
          AsSketch,
          e(0),
          None,
          Seq(e(1)),
          e(2)
        )
    )
  )

  /** Those that return sketches of other families. */
  val otherSketches: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      QloveSketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds the sketch of one pane of a window, for the phis that you name. sketch_merge_agg joins panes to a window. Answers have a low error of value, even for panes of a thousand rows, but the error is not certified. The sketch is a BINARY; a group without rows gives one of no pane.",
      Seq(
        value,
        eventTime,
        Argument(
          "phis",
          "the phis that you will ask for: a constant from 0 to 1, or an array of such. The sketch answers no others."
        ),
        Argument(
          "panes",
          "how many panes a full window has: 6 if a window of one hour has panes of ten minutes."
        ),
        Argument(
          "budget",
          "how many values a pane keeps for each phi from 0.9 on. 0 keeps none. Without it a pane keeps half of what makes a window's answer exact, if that is less than a tenth of the pane or the pane is small.",
          Defaults.notGiven
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
      QloveSketchAggregate.of
    ),
    SqlFunction(
      "ddsketch_agg",
      SqlFunction.Aggregates,
      "Builds a DDSketch of numbers: each quantile has a relative error of at most alpha. The error still holds after merging with sketches of the same alpha. The sketch is a BINARY; a group without values gives an empty one.",
      Seq(
        value.copy(meaning =
          "what is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped."
        ),
        Argument(
          "alpha",
          s"the relative error that you allow, in ${DDSketches.Alpha.range}. With 0.01 an answer is off by at most 1 %.",
          Some(Literal(Defaults.Alpha))
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
      e => SketchAggregate("ddsketch_agg", DDSketches, AsSketch, e(0), None, Seq(e(1)), e(2))
    ),
    SqlFunction(
      "moments_agg",
      SqlFunction.Aggregates,
      "Builds a sketch of a column's count, sum, mean, variance, skewness and kurtosis. For whole numbers and decimals it is exact. It merges with sketches of the same kind of number. The sketch is a BINARY; a group without values gives an empty one.",
      Seq(value.copy(meaning = s"what is measured: $number. NULL is skipped."), frequency),
      Seq(
        Example("SELECT sketch_mean(moments_agg(id)) FROM range(1, 101)", "50.5"),
        Example(
          "SELECT sketch_stddev(moments_agg(id, frequency => id)) FROM range(1, 4)",
          "0.816496580927726"
        )
      ),
      e => SketchAggregate("moments_agg", MomentsSketches, AsSketch, e(0), None, Nil, e(1))
    ),
    SqlFunction(
      ComomentsAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch of pairs of numbers: their covariance, correlation and regression. It merges with sketches of the same kind of number. The sketch is a BINARY; a group without pairs gives an empty one.",
      Seq(
        Argument("y", s"the column to explain: $number. Rows where y or x is NULL are ignored."),
        Argument("x", s"the column that explains it: $number.")
      ),
      Seq(Example("SELECT sketch_slope(comoments_agg(2 * id + 1, id)) FROM range(1, 101)", "2.0")),
      e => ComomentsAggregate(e(0), e(1))
    )
  )

  val merging: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SketchMergeAggregate.Name,
      SqlFunction.Aggregates,
      "Merges the sketches of a group into one sketch of all their values. The merged sketch certifies its own error. It is a BINARY, or NULL if the group has no sketch.",
      Seq(sketch.copy(meaning = s"BINARY sketches of one family. $mergeable NULL is skipped.")),
      Seq(
        Example(
          "SELECT sketch_count(sketch_merge_agg(s)) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1, 101) GROUP BY id % 7)",
          "100"
        )
      ),
      e => SketchMergeAggregate(e(0))
    )
  )

  private def ends(
      name: String,
      isGreatest: Boolean,
      summary: String,
      three: String
  ): SqlFunction[Expression] =
    SqlFunction(
      name,
      SqlFunction.Aggregates,
      s"$summary The answer is an ARRAY of the type of the values. Duplicates are kept. If there are fewer than n values, the array has all of them; without values it is empty.",
      Seq(value, Argument("n", s"how many values to return: a constant from 1 to ${ExtremeValues.Most}.")),
      Seq(Example(s"SELECT $name(id, 3) FROM range(1, 101)", three)),
      e => ExtremeValues(e(0), e(1), isGreatest)
    )

  private def quantile(name: String, nearest: Answer, linear: Answer)(e: Seq[Expression]): Expression = {
    val answer = if (Interpolation.isLinear(name, e(4))) linear else nearest
    SketchAggregate(name, family(name, e(5)), answer, e(0), Some(e(1)), Seq(e(2)), e(3))
  }

  private def family(function: String, tail: Expression): QuantileFamily =
    QuantileFamily.of(TailArgument.of(function, tail))

  /** The family that also keeps sums, if `sum` says so. */
  private def summed(function: String, family: QuantileFamily, sum: Expression): InsertingFamily[Inserts] =
    if (SumArgument.of(function, sum)) SummedFamily.of(family) else family
}
