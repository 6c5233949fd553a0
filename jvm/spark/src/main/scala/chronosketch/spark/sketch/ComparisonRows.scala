package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.comparison.{QuantileInterval, StabilityIndex}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The functions that compare two sketches, or a sketch with the population that its values were drawn from. */
private[spark] object ComparisonRows {
  private val certainly =
    "for a sample or an imported sketch they do so with the probability sketch_describe(sketch).confidence of each"

  private val a = sketch.copy(
    name = "a",
    meaning =
      "a BINARY sketch. NULL gives NULL. If its family cannot answer this, the error names the families that can."
  )
  private val b = sketch.copy(
    name = "b",
    meaning =
      "another BINARY sketch, of any family that can answer. The values have the type of a, or types that one type holds exactly, as those that merge. sketch_cast casts others."
  )
  private val confidence = Argument(
    "confidence",
    "the probability that the interval contains the population's quantile, if the rows are independent: a constant from 0.5 to 0.999999999.",
    Some(Literal(QuantileInterval.Confidence.default))
  )
  private val designEffect = Argument(
    "design_effect",
    "how many rows are worth one independent row: a number above 0, also as a column. Rows of one user are alike, so their design effect is above 1.",
    Some(Literal(QuantileInterval.Independent))
  )
  private val missing =
    "An end is NULL if there are too few values for it: five values have no interval of the median with 95 %."

  val questions: Seq[SqlFunction[Expression]] = Seq(
    row(
      SketchKs,
      s"Returns the Kolmogorov-Smirnov distance of two sketches: the greatest difference of their shares. A share is that of the values at or below a value. The exact distance always lies from low to high; $certainly. The answer is a STRUCT<distance, low, high, at>: at is the least value where the difference is greatest, a DOUBLE unless you name a type, and NULL if the distance is 0. The answer is NULL for a NULL or empty sketch.",
      Seq(a, b, typed("of the field at")),
      two("sketch_ks(a, b)") -> "{\"distance\":0.2,\"low\":0.2,\"high\":0.2,\"at\":20.0}"
    ),
    row(
      SketchKsPValue,
      "Returns the asymptotic p-value of the Kolmogorov-Smirnov distance of two sketches. That is the probability that two samples of one distribution are as far apart. It takes the rows as independent. The answer is a STRUCT<value, low, high> of DOUBLE: the p-value at the distance of sketch_ks, at its upper and at its lower bound. The errors of both sketches may add to the distance, so decide by high. It is NULL for a NULL or empty sketch.",
      Seq(a, b),
      two("round(sketch_ks_p_value(a, b).value, 3)") -> "0.032"
    ),
    row(
      SketchPsi,
      s"Returns the population stability index of two sketches, over bins of the first one. It is the sum of (p - q) * ln(p / q), p and q being the shares of a and of b in a bin. The bins end at quantiles that a answers and include their upper end; the first and the last one are open, and edges that are equal are one. A sketch without values in a bin counts as if it had half a value there, and a bin that is empty in both adds nothing. The exact index of these bins always lies from low to high; $certainly. The answer is a STRUCT<value, low, high> of DOUBLE. It is NULL for a NULL or empty sketch.",
      Seq(
        a,
        b,
        Argument(
          "bins",
          s"how many bins: a constant from ${StabilityIndex.LeastBins} to ${StabilityIndex.MostBins}.",
          Some(Literal(Defaults.Bins))
        )
      ),
      two("round(sketch_psi(a, b).value, 3)") -> "0.789"
    ),
    row(
      SketchWasserstein,
      s"Returns the Wasserstein distance of two sketches: the mean distance between their quantiles. It is in units of the values, which must be numbers. The exact distance always lies from low to high; $certainly. The answer is a STRUCT<value, low, high> of DOUBLE. All are NaN if one of the values may be NaN. The answer is NULL for a NULL or empty sketch.",
      Seq(a, b),
      two("round(sketch_wasserstein(a, b).value, 6)") -> "20.0"
    ),
    row(
      SketchQuantileInterval,
      s"Returns a confidence interval of the phi-quantile of the population behind a sketch. Its ends are values of the sample whose ranks the binomial distribution gives, widened by what the sketch does not know of their ranks. The answer is a STRUCT<value, low, high> of DOUBLE unless you name a type. $missing It is NULL for a NULL or empty sketch.",
      Seq(sketch, phiOrColumn, confidence, designEffect, typed("of the answer")),
      two("sketch_quantile_interval(a, 0.5)") -> "{\"value\":50.0,\"low\":40.0,\"high\":61.0}",
      two("sketch_quantile_interval(a, 0.5, design_effect => 4).high") -> "72.0"
    ),
    row(
      SketchQuantileDifference,
      s"Returns the difference of two populations' phi-quantiles, with a confidence interval and a p-value. It is the quantile of a less that of b. The interval is widened by what the sketches do not know. The values must be numbers. The answer is a STRUCT<value, low, high, p_value> of DOUBLE: p_value is the least 1 - confidence whose interval leaves out 0, and at least 1e-15. $missing An end is NaN where a quantile may be NaN. The answer is NULL for a NULL or empty sketch.",
      Seq(a, b, phiOrColumn, confidence, designEffect),
      two("sketch_quantile_difference(a, b, 0.5).value") -> "-20.0",
      two("round(sketch_quantile_difference(a, b, 0.5).p_value, 4)") -> "0.0066"
    )
  )

  /** The aggregate whose answer the questions take as their design effect. */
  val designEffects: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      DesignEffectAggregate.Name,
      SqlFunction.Aggregates,
      "Returns the design effect of a quantile, from the counts of each user. That is how many rows are worth one independent row, if users are independent and the rows of a user are alike: the variance of the ratio of both sums over that of independent rows, a little more for few users. The answer is a DOUBLE of at least 1. It is NULL if there are fewer than two users. Give it to sketch_quantile_interval or sketch_quantile_difference.",
      Seq(
        Argument(
          "count_below",
          "how many rows of the user are at or below the quantile of all rows, for example sketch_rank(s, quantile)."
        ),
        Argument(
          "count",
          "how many rows the user has, for example sketch_count(s). A user with NULL or 0 is ignored."
        )
      ),
      Seq(
        Example(
          "SELECT round(quantile_design_effect_agg(b, n), 1) FROM VALUES (9, 10), (2, 10), (8, 10), (1, 10) AS t(b, n)",
          "21.1"
        )
      ),
      e => DesignEffectAggregate(e(0), e(1))
    )
  )

  /** A query that compares the numbers 1 to 100 with 21 to 120. */
  private def two(select: String): String =
    s"SELECT $select FROM (SELECT quantile_sketch_agg(id) AS a, quantile_sketch_agg(id + 20) AS b FROM range(1, 101))"

  private def row(
      question: Question,
      usage: String,
      arguments: Seq[Argument],
      examples: (String, String)*
  ): SqlFunction[Expression] = SqlFunction(
    question.name,
    SqlFunction.Scalars,
    usage,
    arguments,
    examples.map { case (query, answer) => Example(query, answer) },
    Ask.of(question, _)
  )
}
