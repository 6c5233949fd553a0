package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sketch.{Ask, SketchMerge}
import chronosketch.spark.table.SharedArguments._

/** The functions that merge sketches. */
private[spark] object MergingRows {
  private val widening =
    "The values have one type, or types that widen to one: all whole numbers do, FLOAT and DOUBLE do, and decimals of one scale do."

  private val neutral =
    "A sketch without values changes nothing, whatever its type and parameters."

  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      SketchMergeAggregate.Name,
      SqlFunction.Aggregates,
      "Merges the sketches of a group into one sketch of all their values. The merged sketch certifies its own error. It is a BINARY, or NULL if the group has no sketch.",
      Seq(sketch.copy(meaning = s"BINARY sketches of one family. $widening $neutral NULL is skipped.")),
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
      "Merges two sketches into one sketch of all their values. The merged sketch certifies its own error. It is a BINARY, or NULL if one of the two is NULL.",
      Seq(
        sketch.copy(name = "left", meaning = "a BINARY sketch."),
        sketch.copy(
          name = "right",
          meaning = s"another BINARY sketch, of the same family. $widening $neutral"
        )
      ),
      Seq(Example(ReaderRows.hundred("sketch_count(sketch_merge(s, s))"), "200")),
      Ask.of(SketchMerge, _)
    )
  )
}
