package chronosketch.spark.interchange

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.spark.sketch.{Ask, Question}
import chronosketch.spark.table.{Argument, Defaults, Example, SharedArguments, SqlFunction}

/** The functions that import summaries of other libraries, and those that export to them. */
private[spark] object ImportRows {
  private val minimum = Argument(
    "minimum",
    "a value that none of the histogram's values is below: the least one, if you know it. Without it the first bucket has no lower end.",
    Defaults.notGiven
  )
  private val maximum = Argument(
    "maximum",
    "a value that none of the histogram's values is above: the greatest one, if you know it. Without it the last bucket has no upper end.",
    Defaults.notGiven
  )

  /** A KLL sketch of 10, 20, 30, 40 and 50, as bytes of Apache DataSketches, in hexadecimal. */
  private val tens = "05010F00C80008000500000000000000C8000100C30000000A000000000000003200000000000000" +
    "320000000000000028000000000000001E0000000000000014000000000000000A00000000000000"

  private def library(how: String) = Argument(
    "library",
    s"the library that $how the bytes: 'java' for sketches-java and sketches-go, 'python' for ddsketch of PyPI. They use the same message for different bins.",
    Some(Literal(Defaults.Library))
  )

  val all: Seq[SqlFunction[Expression]] = Seq(
    row(
      SketchFromHistogram,
      "Returns a sketch of the values that a histogram counted, with bounds that always hold. At a bound of the histogram the rank is exact. Between two bounds it lies between their ranks. You can ask it every question that a sketch of quantile_sketch_agg answers. It merges with other sketches of histograms, even if their bounds differ. The sketch is a BINARY; NULL arrays give NULL.",
      Seq(
        Argument(
          "bounds",
          "an array of the buckets' upper bounds, strictly increasing: numbers, which are read as DOUBLE, or dates or times. A bucket has the values above the bound before its own, up to and including its own."
        ),
        Argument(
          "counts",
          "an array of whole numbers, one more than there are bounds: the last counts the values above all bounds. If the last bound is +Infinity, there are as many counts as bounds."
        ),
        Argument(
          "cumulative",
          "true if each count is of all values up to its bound, as in the buckets of Prometheus.",
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
      "Returns a sketch of the values that an exponential histogram counted, with bounds that always hold. OpenTelemetry makes such histograms. Bucket i has the values above 2^(i * 2^-scale), up to and including 2^((i + 1) * 2^-scale). At a scale above 0 each edge is moved outward by more than a client rounds. The sketch is a BINARY. It is NULL if any argument but minimum and maximum is NULL.",
      Seq(
        Argument("scale", "a whole number from -10 to 20. There are 2^scale buckets for each doubling."),
        Argument("zero_count", "how many values are 0, or at most zero_threshold away from it."),
        Argument("positive_offset", "the index of the first bucket of values above 0."),
        Argument(
          "positive_counts",
          "an array of whole numbers: the counts of the buckets of values above 0."
        ),
        Argument("negative_offset", "the index of the first bucket of values below 0."),
        Argument(
          "negative_counts",
          "an array of whole numbers: the counts of the buckets of values below 0, by their magnitude. Give array() if there are none."
        ),
        Argument(
          "zero_threshold",
          "values that are at most this far from 0 are counted as 0.",
          Some(Literal(Defaults.ZeroThreshold))
        ),
        minimum,
        maximum
      ),
      "sketch_quantile_bounds(sketch_from_exponential_histogram(0, 1, 3, array(10, 20), 0, array()), 0.9)" -> "{\"low\":16.000000000000004,\"high\":32.0}"
    ),
    row(
      SketchFromKll,
      "Returns a sketch of what a KLL sketch of Apache DataSketches knows, with the bounds that it states. They hold with a probability of 99 % for each question. If the KLL sketch still has all its values, they always hold. sketch_describe(sketch).confidence says which. The least and the greatest value are exact. Quantiles and ranks are those that the library answers. The sketch is a BINARY.",
      Seq(
        Argument(
          "binary",
          "the KLL sketch, as toByteArray writes it in Java, and serialize in C++ and Python. The results of kll_sketch_agg_double, _float and _bigint of Spark 4.1 and later are such. NULL gives NULL."
        ),
        Argument(
          "type",
          "the type of its values: 'double', 'float' or 'bigint'. The bytes do not tell DOUBLE from BIGINT, so the wrong one of these two gives wrong values. A KLL sketch of INT is not read."
        )
      ),
      s"sketch_quantile(sketch_from_kll(X'$tens', 'bigint'), 0.5)" -> "30.0"
    ),
    row(
      SketchToKll,
      "Returns the bytes of a KLL sketch of Apache DataSketches. The kll_sketch functions of Spark 4.1 and later read them, and so do other engines with that library. Its items are DOUBLE, FLOAT or BIGINT, as the values of the sketch; whole numbers become BIGINT. Count, minimum and maximum are exact. The rank error that the library claims for its k is never smaller than the true one. Equal sketches give equal bytes. The answer is a BINARY. Values of another type and NaN are an error.",
      Seq(
        SharedArguments.sketch.copy(meaning =
          "a BINARY sketch that certifies a rank error, such as one of quantile_sketch_agg. NULL gives NULL."
        ),
        Argument(
          "k",
          "a constant whole number from 8 to 65535: the most values that count equally, and the k of the KLL sketch. Without it, k follows from the epsilon of the sketch.",
          Defaults.notGiven
        )
      ),
      "sketch_quantile(sketch_from_kll(sketch_to_kll(quantile_sketch_agg(id)), 'bigint'), 0.5) FROM range(1, 101)" -> "50.0"
    ),
    row(
      SketchFromDDSketch,
      "Returns a sketch of what a DDSketch of Datadog's libraries knows, with bounds that always hold. The bytes have neither the least nor the greatest value. So the result is an imported sketch, not one of ddsketch_agg. The sketch is a BINARY.",
      Seq(
        Argument(
          "binary",
          "the protocol buffer message DDSketch of DDSketch.proto, as BINARY. Its counts must be whole numbers. NULL gives NULL."
        ),
        library("wrote"),
        Argument(
          "collapsed",
          "'lowest' or 'highest' if the sketch had a limit on its bins, and so may have collapsed its lowest or highest ones into others. The bytes do not say so. Otherwise 'none'.",
          Some(Literal(Defaults.Collapsed))
        ),
        minimum,
        maximum
      ),
      "sketch_rank_bounds(sketch_from_ddsketch(sketch_to_ddsketch(ddsketch_agg(v))), 30) FROM VALUES (10), (20), (40) AS t(v)" -> "{\"low\":2,\"high\":2}"
    ),
    row(
      SketchToDDSketch,
      "Returns a sketch of ddsketch_agg as bytes that Datadog's libraries read. They then answer within its alpha. The answer is a BINARY: the protocol buffer message DDSketch. Numbers nearer to 0 than 2.3e-308 count as 0 there. NaN, infinities, and decimals with digits after the point are an error.",
      Seq(
        SharedArguments.sketch.copy(meaning = "a BINARY sketch of ddsketch_agg. NULL gives NULL."),
        library("will read")
      ),
      "sketch_quantile_bounds(sketch_from_ddsketch(sketch_to_ddsketch(ddsketch_agg(v))), 0.5) FROM VALUES (0), (0), (7) AS t(v)" -> "{\"low\":0.0,\"high\":0.0}"
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
