package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.spark.imported.{
  SketchFromDDSketch,
  SketchFromExponentialHistogram,
  SketchFromHistogram,
  SketchFromKll,
  SketchToDDSketch
}
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

  /** The library's bytes of a sketch of 10, 20, 30, 40 and 50. */
  private val tens = "05010F00C80008000500000000000000C8000100C30000000A000000000000003200000000000000" +
    "320000000000000028000000000000001E0000000000000014000000000000000A00000000000000"

  private def library(how: String) = Argument(
    "library",
    s"who $how the bytes: 'java' for sketches-java and sketches-go, 'python' for ddsketch of PyPI. Both have the same message, and mean different bins by it.",
    Some(Literal(Defaults.Library))
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
    ),
    row(
      SketchFromKll,
      "Returns a sketch of what a KLL sketch of Apache DataSketches knows, with the bounds that it states. They hold with 99 % for each question, and always where the KLL sketch threw nothing away: sketch_describe(sketch).confidence says which. Least and greatest value are exact.",
      Seq(
        Argument(
          "binary",
          "what toByteArray writes in Java, and serialize in C++ and Python; kll_sketch_agg_double, _float and _bigint of Spark 4.1 and later."
        ),
        Argument(
          "type",
          "what it was built of: 'double', 'float' or 'bigint'. The bytes do not tell the first from the last."
        )
      ),
      s"sketch_quantile(sketch_from_kll(X'$tens', 'bigint'), 0.5)" -> "30.0"
    ),
    row(
      SketchFromDDSketch,
      "Returns a sketch of what a DDSketch of Datadog's libraries knows, with bounds that always hold. The bytes are the message DDSketch of protocol buffers. They have neither a least nor a greatest value, so the result is no ddsketch, but an imported sketch.",
      Seq(
        Argument(
          "binary",
          "the message DDSketch of DDSketch.proto, as BINARY. Its counts must be whole numbers."
        ),
        library("wrote"),
        Argument(
          "collapsed",
          "'lowest' or 'highest' where the sketch had room for so many bins only, and values of the least or greatest magnitudes may be in bins of others.",
          Some(Literal(Defaults.Collapsed))
        ),
        minimum,
        maximum
      ),
      "sketch_rank_bounds(sketch_from_ddsketch(sketch_to_ddsketch(ddsketch_agg(v))), 30) FROM VALUES (10), (20), (40) AS t(v)" -> "{\"low\":2,\"high\":2}"
    ),
    row(
      SketchToDDSketch,
      "Returns a ddsketch as the bytes that Datadog's libraries read, who then answer within its alpha. The bytes are the message DDSketch of protocol buffers. Subnormal numbers, nearer to 0 than 2.3e-308, count as 0 there; NaN and infinities are an error, and so are decimals with digits after the point.",
      Seq(
        SharedArguments.sketch.copy(meaning = "a BINARY sketch of ddsketch_agg."),
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
