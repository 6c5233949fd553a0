package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Cast,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.types.{StructField, StructType}

import chronosketch.spark.hopping.panes.{MergeSpec, WindowAssigner}
import chronosketch.spark.state.StateLayout

/** The part of the plan that a task needs to merge a stream's windows.
  *
  * @param keys         the keys of windows; a stream without keys has one that is the same for all rows
  * @param bounds       the start and the end of a window
  * @param parts        the columns of a pane
  * @param merges       for each part, the aggregate function that merges it
  * @param merged       the result of each function
  * @param answers      a window's output row, computed from its keys, its bounds and the merged parts
  * @param hasWatermark whether windows close
  * @param layout       everything that the stored panes depend on
  */
private[stream] final case class PanesSpec(
    keys: Seq[Attribute],
    assigner: WindowAssigner,
    bounds: Seq[Attribute],
    parts: Seq[Attribute],
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[NamedExpression],
    hasWatermark: Boolean,
    layout: StateLayout
) {
  def keySchema: StructType = StructType(keys.map(k => StructField(k.name, k.dataType)))

  /** A new column for a window's output row. */
  def row: AttributeReference =
    AttributeReference(
      "window",
      StructType(answers.map(a => StructField(a.name, a.dataType))),
      nullable = false
    )()

  /** Merges the rows of a pane into one. */
  def ofPane: MergeSpec = MergeSpec(
    parts,
    Nil,
    merges,
    merged,
    merged.zip(parts).map { case (m, part) =>
      // a sum of sums has more digits than a pane's sum
      if (m.dataType == part.dataType) m else Cast(m, part.dataType)
    }
  )

  /** Merges the panes of a window. */
  def ofWindow: MergeSpec = MergeSpec(parts, keys ++ bounds, merges, merged, answers)
}
