package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}
import chronosketch.summary.Moment

/** The functions that ask a sketch of moments: sums, means and variances of one column, or how two columns go together. */
private[spark] object MomentRows {
  private val ofValues =
    new Rows(
      "moments_agg",
      "id",
      ", of quantile_sketch_agg with sum => true, of window_moments_agg, or one window of the latter"
    )
  private val ofShape = new Rows("moments_agg", "id", ", or of quantile_sketch_agg with sum => true")
  private val ofPairs = new Rows("comoments_agg", "2 * id + 1, id")
  private val population = Argument(
    "population",
    "true if the rows are the whole population: the divisor is their count. false if they are a sample of it: the divisor is one less.",
    Some(Literal(Defaults.Population))
  )

  val questions: Seq[SqlFunction[Expression]] = Seq(
    ofValues(
      SketchSum,
      "Returns the sum of a sketch's values. The answer is a DOUBLE, and NULL for an empty sketch. For whole numbers and decimals it is the DOUBLE nearest to the exact sum. For a window it is an estimate; sketch_moment_bounds returns its bounds.",
      Nil,
      "sketch_sum(s)" -> "5050.0"
    ),
    ofValues(
      SketchMean,
      "Returns the mean of a sketch's values. The answer is a DOUBLE, and NULL for an empty sketch. For a window it is an estimate; sketch_moment_bounds returns its bounds.",
      Nil,
      "sketch_mean(s)" -> "50.5"
    ),
    ofValues(
      SketchVariance,
      "Returns the variance of a sketch's values. The answer is a DOUBLE, and NULL for an empty sketch. For one value it is NULL too, unless population is true. For a window it is an estimate; sketch_moment_bounds returns its bounds.",
      Seq(population),
      "sketch_variance(s)" -> "841.6666666666666",
      "sketch_variance(s, population => true)" -> "833.25"
    ),
    ofValues(
      SketchStddev,
      "Returns the standard deviation of a sketch's values. The answer is a DOUBLE, and NULL for an empty sketch. For one value it is NULL too, unless population is true. For a window it is an estimate; sketch_moment_bounds returns its bounds.",
      Seq(population),
      "sketch_stddev(s)" -> "29.011491975882016"
    ),
    ofShape(
      SketchSkewness,
      "Returns the skewness of a sketch's values. The answer is a DOUBLE. It is NULL for an empty sketch, and if all values are equal.",
      Nil,
      "sketch_skewness(s)" -> "0.0"
    ),
    ofShape(
      SketchKurtosis,
      "Returns the excess kurtosis of a sketch's values. It is 0 for a normal distribution. The answer is a DOUBLE. It is NULL for an empty sketch, and if all values are equal.",
      Nil,
      "sketch_kurtosis(s)" -> "-1.2002400240024003"
    ),
    ofValues(
      SketchMomentBounds,
      "Returns a moment of a sketch's values, plus bounds that always contain the exact one. The answer is a STRUCT<value, lower, upper> of DOUBLE. It is NULL if the moment is NULL. If the exact moment may be NaN or infinite, value and upper are NaN.",
      Seq(
        Argument(
          "moment",
          s"which one: ${Moment.all.map(m => s"'${m.name}'").mkString(", ")}. It is a constant. Names that end in _pop take the rows as the whole population, the others as a sample of it."
        )
      ),
      "sketch_moment_bounds(s, 'mean')" -> """{"value":50.5,"lower":50.5,"upper":50.5}"""
    ),
    ofPairs(
      SketchCovar,
      "Returns the covariance of a sketch's pairs. The answer is a DOUBLE, and NULL for an empty sketch. For one pair it is NULL too, unless population is true.",
      Seq(population),
      "sketch_covar(s, population => true)" -> "1666.5"
    ),
    ofPairs(
      SketchCorr,
      "Returns the correlation of a sketch's pairs. The answer is a DOUBLE. It is NULL for an empty sketch, and if all x or all y are equal.",
      Nil,
      "sketch_corr(s)" -> "1.0"
    ),
    ofPairs(
      SketchSlope,
      "Returns the slope of the regression line of a sketch's pairs. The answer is a DOUBLE. It is NULL for an empty sketch, and if all x are equal.",
      Nil,
      "sketch_slope(s)" -> "2.0"
    ),
    ofPairs(
      SketchIntercept,
      "Returns the intercept of the regression line of a sketch's pairs: its y at x = 0. The answer is a DOUBLE. It is NULL for an empty sketch, and if all x are equal.",
      Nil,
      "sketch_intercept(s)" -> "1.0"
    ),
    ofPairs(
      SketchR2,
      "Returns the share of the variance of y that the regression line explains. The answer is a DOUBLE. It is NULL for an empty sketch, and if all x are equal. It is 1 if all y are equal.",
      Nil,
      "sketch_r2(s)" -> "1.0"
    )
  )

  /** Creates the rows of questions to the sketches of a builder. Their examples ask a sketch of the numbers 1 to 100. */
  private final class Rows(builder: String, values: String, others: String = "") {
    private val sketch = Argument("sketch", s"a BINARY sketch of $builder$others. NULL gives NULL.")

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
        Example(s"SELECT $call FROM (SELECT $builder($values) AS s FROM range(1, 101))", answer)
      },
      Ask.of(question, _)
    )
  }
}
