package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.spark.imported.{SketchFromExponentialHistogram, SketchFromHistogram}
import chronosketch.spark.sketch.{Ask, Question}

/** The functions that bring in what other libraries stored. */
private[spark] object ImportRows {
  private val minimum = Argument(
    "minimum",
    "a value that none is below: the least one, where the source knows it. Without it the first bucket has no beginning.",
    Defaults.notGiven
  )
  private val maximum = Argument(
    "maximum",
    "a value that none is above: the greatest one, where the source knows it. Without it the last bucket has no end.",
    Defaults.notGiven
  )

  val all: Seq[SqlFunction[Expression]] = Seq(
    row(
      SketchFromHistogram,
      "Returns a sketch of the values that a histogram counted, with bounds that always hold. At a bound of the histogram a rank is exact; between two bounds it is between their ranks. Every function that asks a sketch asks it, and it merges with others of its kind, of other bounds too.",
      Seq(
        Argument(
          "bounds",
          "an array of the buckets' upper bounds, which rise: numbers, read as DOUBLE, or values of one type of time."
        ),
        Argument(
          "counts",
          "an array of whole numbers, one more than bounds: the last is for values above all bounds. As many as bounds where the last bound is +Infinity."
        ),
        Argument(
          "cumulative",
          "true where each count has all values up to its bound, as the buckets of Prometheus do.",
          Some(Literal(Defaults.Cumulative))
        ),
        minimum,
        maximum
      ),
      "sketch_rank_bounds(sketch_from_histogram(array(10, 50, 100), array(7, 80, 9, 4)), 60)" -> "{\"low\":87,\"high\":96}",
      "sketch_quantile_bounds(sketch_from_histogram(array(0.1, 1, 10), array(20, 95, 100, 100), cumulative => true, minimum => 0), 0.5)" -> "{\"low\":0.10000000000000002,\"high\":1.0}"
    ),
    row(
      SketchFromExponentialHistogram,
      "Returns a sketch of the values that an exponential histogram counted, with bounds that always hold. Bucket i of OpenTelemetry has the values in (2^(i*2^-scale), 2^((i+1)*2^-scale)]. At a scale above 0 each edge is moved outward by more than a client's rounding.",
      Seq(
        Argument("scale", "a whole number from -10 to 20: each doubling has 2^scale buckets."),
        Argument("zero_count", "how many values are 0, or not further from it than zero_threshold."),
        Argument("positive_offset", "the index of the first positive bucket."),
        Argument("positive_counts", "an array of whole numbers: the counts of the positive buckets."),
        Argument("negative_offset", "the index of the first negative bucket."),
        Argument(
          "negative_counts",
          "the same for the values below 0, by magnitude; array() where there are none."
        ),
        Argument(
          "zero_threshold",
          "how far from 0 a value counts as 0.",
          Some(Literal(Defaults.ZeroThreshold))
        ),
        minimum,
        maximum
      ),
      "sketch_quantile_bounds(sketch_from_exponential_histogram(0, 1, 3, array(10, 20), 0, array()), 0.9)" -> "{\"low\":16.000000000000004,\"high\":32.0}"
    )
  )

  private def row(
      question: Question,
      usage: String,
      arguments: Seq[Argument],
      examples: (String, String)*
  ): SqlFunction[Expression] =
    SqlFunction(
      question.name,
      SqlFunction.Scalars,
      usage,
      arguments,
      examples.map { case (call, answer) => Example(s"SELECT $call", answer) },
      Ask.of(question, _)
    )
}
