package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.moments.MomentsSketches
import chronosketch.spark.aggregate.{AsSketch, ComomentsAggregate, SketchAggregate}
import chronosketch.spark.sketch._
import chronosketch.spark.table.SharedArguments._
import chronosketch.summary.Moment

/** Sketches of sums, means and variances, and of how two columns go together; and what they answer. */
private[spark] object MomentRows {
  private val number = "a number. NULLs are skipped."

  val builders: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      "moments_agg",
      SqlFunction.Aggregates,
      "Builds a sketch of a column's count, sum, mean, variance, skewness and kurtosis. Of whole numbers and decimals it is exact. It merges with others.",
      Seq(value.copy(meaning = s"what is measured: $number"), frequency),
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
      "Builds a sketch of pairs of numbers: their covariance, correlation and regression. It merges with others.",
      Seq(
        Argument("y", "what is explained: a number. Rows where y or x is NULL are ignored."),
        Argument("x", "what explains it: a number.")
      ),
      Seq(Example("SELECT sketch_slope(comoments_agg(2 * id + 1, id)) FROM range(1, 101)", "2.0")),
      e => ComomentsAggregate(e(0), e(1))
    )
  )

  private val ofValues =
    new Asked("moments_agg", "id", ", or of window_moments_agg or a window of that")
  private val ofShape = new Asked("moments_agg", "id")
  private val ofPairs = new Asked("comoments_agg", "2 * id + 1, id")
  private val population = Argument(
    "population",
    "whether the rows are all there are; otherwise they are a sample of more, and the divisor is one less than their count.",
    Some(Literal(Defaults.Population))
  )

  val questions: Seq[SqlFunction[Expression]] = Seq(
    ofValues(
      SketchSum,
      "Returns the sum of a sketch's values. It is the double that is nearest to the exact sum of whole numbers and decimals.",
      Nil,
      "sketch_sum(s)" -> "5050.0"
    ),
    ofValues(SketchMean, "Returns the mean of a sketch's values.", Nil, "sketch_mean(s)" -> "50.5"),
    ofValues(
      SketchVariance,
      "Returns the variance of a sketch's values. Of a sample it is NULL where there is one value.",
      Seq(population),
      "sketch_variance(s)" -> "841.6666666666666",
      "sketch_variance(s, population => true)" -> "833.25"
    ),
    ofValues(
      SketchStddev,
      "Returns the standard deviation of a sketch's values. Of a sample it is NULL where there is one value.",
      Seq(population),
      "sketch_stddev(s)" -> "29.011491975882016"
    ),
    ofShape(
      SketchSkewness,
      "Returns the skewness of a sketch's values. It is NULL where all are equal.",
      Nil,
      "sketch_skewness(s)" -> "0.0"
    ),
    ofShape(
      SketchKurtosis,
      "Returns the excess kurtosis of a sketch's values. It is NULL where all are equal.",
      Nil,
      "sketch_kurtosis(s)" -> "-1.2002400240024003"
    ),
    ofValues(
      SketchMomentBounds,
      "Returns a moment of a sketch's values, and between which numbers the exact one lies, for certain. The fields are value, lower and upper. It is NULL where the moment is.",
      Seq(
        Argument(
          "moment",
          s"which one: ${Moment.all.map(m => s"'${m.name}'").mkString(", ")}. The rows are a sample of more where its name does not end in _pop."
        )
      ),
      "sketch_moment_bounds(s, 'mean')" -> """{"value":50.5,"lower":50.5,"upper":50.5}"""
    ),
    ofPairs(
      SketchCovar,
      "Returns the covariance of a sketch's pairs. Of a sample it is NULL where there is one pair.",
      Seq(population),
      "sketch_covar(s, population => true)" -> "1666.5"
    ),
    ofPairs(
      SketchCorr,
      "Returns the correlation of a sketch's pairs. It is NULL where all x or all y are equal.",
      Nil,
      "sketch_corr(s)" -> "1.0"
    ),
    ofPairs(
      SketchSlope,
      "Returns the slope of the line that is nearest to a sketch's pairs. It is NULL where all x are equal.",
      Nil,
      "sketch_slope(s)" -> "2.0"
    ),
    ofPairs(
      SketchIntercept,
      "Returns where the line that is nearest to a sketch's pairs is at x = 0. It is NULL where all x are equal.",
      Nil,
      "sketch_intercept(s)" -> "1.0"
    ),
    ofPairs(
      SketchR2,
      "Returns which share of the variance of y the line explains. It is NULL where all x are equal, and 1 where all y are.",
      Nil,
      "sketch_r2(s)" -> "1.0"
    )
  )

  /** Questions to the sketches of a builder; their examples ask one of the numbers 1 to 100. */
  private final class Asked(builder: String, of: String, others: String = "") {
    private val sketch = Argument("sketch", s"a BINARY sketch of $builder$others.")

    def apply(
        question: Question,
        usage: String,
        more: Seq[Argument],
        examples: (String, String)*
    ): SqlFunction[Expression] = SqlFunction(
      question.name,
      SqlFunction.Scalars,
      usage,
      sketch +: more,
      examples.map { case (call, answer) =>
        Example(s"SELECT $call FROM (SELECT $builder($of) AS s FROM range(1, 101))", answer)
      },
      Ask.of(question, _)
    )
  }
}
