package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.sample.SampleFamily
import chronosketch.spark.sample.SampleSketchAggregate
import chronosketch.spark.sketch.{Ask, SketchSample}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.WindowSampleAggregate

/** The functions that draw samples, and the one that returns the values of a sample. */
private[spark] object SampleRows {
  private val sizes =
    s"a whole number from ${SampleFamily.Size.least.toInt} to ${SampleFamily.Size.greatest.toInt}"
  private val seed = Argument(
    "seed",
    "the seed of the random numbers: a whole number. The same seed and the same rows in the same partitions give the same sample.",
    Some(Literal(Defaults.Seed))
  )
  private val id = Argument(
    "id",
    "a whole-number column that no two rows share. With it the sample depends on neither the order nor the partitions of the rows. Rows with a NULL id are ignored.",
    Defaults.notGiven
  )

  val builders: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SampleSketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a random sample of a column. It answers every question that a sketch of quantile_sketch_agg answers. All its bounds hold at once with the probability 1 - delta. It merges with samples of the same method. The sample is a BINARY; a group without values gives an empty one.",
      Seq(
        value,
        Argument(
          "size",
          s"how many rows the sample keeps: $sizes. Without it the sample keeps as many as epsilon needs, or ${SampleFamily.Size.default.toInt} rows.",
          Defaults.notGiven
        ),
        Argument(
          "method",
          "how rows are chosen. 'reservoir' makes the smallest sketch and takes no id. 'priority' keeps the rows with the least random numbers. 'bernoulli' keeps each row with the same probability, which is halved when the sample is full. Without it the method is 'reservoir', or 'priority' if you give an id.",
          Defaults.notGiven
        ),
        seed,
        id,
        Argument(
          "epsilon",
          "the rank error that you allow, as a share of the number of values. Give it in place of size; the sample then keeps as many rows as that takes.",
          Defaults.notGiven
        ),
        Argument(
          "delta",
          s"the probability that the bounds of the sample do not hold, in ${SampleFamily.Delta.range}.",
          Some(Literal(Defaults.Delta))
        )
      ),
      Seq(
        Example("SELECT sketch_quantile(sample_sketch_agg(id), 0.5) FROM range(1, 101)", "50.0"),
        Example(
          "SELECT size(sketch_sample(sample_sketch_agg(id, 20, id => id))) FROM range(1000)",
          "20"
        ),
        Example(
          "SELECT sketch_describe(sample_sketch_agg(id, epsilon => 0.1, delta => 0.01)).kept FROM range(100000)",
          "691"
        )
      ),
      SampleSketchAggregate.of
    ),
    SqlFunction(
      WindowSampleAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch that gives a random sample of any window by time. You choose the window later, with sketch_window. It ends at the newest row, or at as_of. The window is a sample, and answers every question that a sample of sample_sketch_agg answers. The sketch is a BINARY; a group without rows gives an empty one.",
      Seq(
        value,
        eventTime,
        Argument(
          "size",
          s"how many rows of a window are drawn: $sizes. The sketch keeps more than that.",
          Some(Literal(Defaults.SampleSize))
        ),
        retention,
        seed,
        id
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_window(window_sample_agg(id, id), 10), 0.5) FROM range(1, 101)",
          "95.0"
        ),
        Example(
          "SELECT size(sketch_sample(sketch_window(s, 500))) FROM (SELECT window_sample_agg(id, id, 20, id => id) AS s FROM range(1000))",
          "20"
        )
      ),
      WindowSampleAggregate.of
    )
  )

  val questions: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SketchSample.name,
      SqlFunction.Scalars,
      "Returns the values of a sample, in ascending order. The answer is an ARRAY of DOUBLE unless you name a type.",
      Seq(
        Argument(
          "sketch",
          s"a BINARY sketch of ${SampleSketchAggregate.Name} or ${WindowSampleAggregate.Name}, or one window of the latter. NULL gives NULL."
        ),
        typed("of the values")
      ),
      Seq(
        Example("SELECT sketch_sample(sample_sketch_agg(id), 'int') FROM range(1, 4)", "[1,2,3]")
      ),
      Ask.of(SketchSample, _)
    )
  )
}
