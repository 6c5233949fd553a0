package chronosketch.spark.sample

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.sample.SampleFamily
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The function that draws a sample. */
private[spark] object SampleRows {
  val sizes =
    s"a whole number from ${SampleFamily.Size.least.toInt} to ${SampleFamily.Size.greatest.toInt}"
  val seed = Argument(
    "seed",
    "the seed of the random numbers: a whole number. The same seed and the same rows in the same partitions give the same sample.",
    Some(Literal(Defaults.Seed))
  )
  val id = Argument(
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
    )
  )
}
