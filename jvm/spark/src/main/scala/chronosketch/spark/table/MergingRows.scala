package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sketch.{Ask, SketchMerge}
import chronosketch.spark.table.SharedArguments._

/** The functions that unite sketches. */
private[spark] object MergingRows {
  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SketchMergeAggregate.Name,
      SqlFunction.Aggregates,
      "Merges the sketches of a group into one sketch of all their values. What it certifies still holds. NULL where there is no sketch.",
      Seq(sketch.copy(meaning = "BINARY sketches of one family and of value types that widen.")),
      Seq(
        Example(
          "SELECT sketch_count(sketch_merge_agg(s)) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(1, 101) GROUP BY id % 7)",
          "100"
        )
      ),
      e => SketchMergeAggregate(e(0))
    ),
    SqlFunction(
      SketchMerge.name,
      SqlFunction.Scalars,
      "Merges two sketches into one sketch of all their values. What it certifies still holds.",
      Seq(
        sketch.copy(name = "left"),
        sketch.copy(name = "right", meaning = "another, of the same family and a value type that widens.")
      ),
      Seq(Example(ReaderRows.hundred("sketch_count(sketch_merge(s, s))"), "200")),
      Ask.of(SketchMerge, _)
    )
  )
}
