package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.sample.SampleFamily
import chronosketch.spark.sample.SampleSketchAggregate
import chronosketch.spark.sketch.{Ask, SketchSample}
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.window.WindowSampleAggregate

/** Samples: what draws them, and what shows them. */
private[spark] object SampleRows {
  private val seed = Argument(
    "seed",
    "where chance begins: a whole number. The same seed and the same rows in the same partitions give the same sample.",
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
      "Builds a random sample of a column. It answers any quantile and rank, with bounds that hold with a probability. It merges with other samples.",
      Seq(
        value,
        Argument(
          "size",
          s"how many rows the sample keeps, in ${SampleFamily.Size.range}. Without it the sample keeps what epsilon takes, or ${SampleFamily.Size.default.toInt} rows.",
          Defaults.notGiven
        ),
        Argument(
          "method",
          "how rows are chosen: 'reservoir' (the smallest sketch), 'priority' (can tell rows apart by id), or 'bernoulli' (each row with the same probability, halved when the sample is full). The default is 'reservoir', and 'priority' where id is given.",
          Defaults.notGiven
        ),
        seed,
        id,
        Argument(
          "epsilon",
          "the rank error that the sample is to keep to, as a share of the count, in place of size.",
          Defaults.notGiven
        ),
        Argument(
          "delta",
          s"the probability that the bounds do not hold, in ${SampleFamily.Delta.range}.",
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
      "Builds a sketch from which sketch_window takes a random sample of any window by time, later. Windows go back from the newest row or from as_of. Such a sample answers what a sketch of sample_sketch_agg does.",
      Seq(
        value,
        eventTime,
        Argument(
          "size",
          s"how many rows of a window are drawn, in ${SampleFamily.Size.range}. The sketch keeps some times as many.",
          Some(Literal(Defaults.SampleSize))
        ),
        Argument(
          "retention",
          "how far back windows may reach: an interval, or a whole number of event_time's units. Without it windows may reach to the first row.",
          Defaults.notGiven
        ),
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
      "Returns the values of a sample, in ascending order.",
      Seq(
        Argument(
          "sketch",
          s"a BINARY sketch of ${SampleSketchAggregate.Name} or ${WindowSampleAggregate.Name}, or a window of the latter."
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
