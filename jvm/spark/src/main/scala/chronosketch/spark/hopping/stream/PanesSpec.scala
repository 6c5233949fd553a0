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

/** What a task makes a stream's windows with.
  *
  * @param keys         of the windows; a stream without keys has one that is the same for all rows
  * @param bounds       of a window: its start and end
  * @param parts        the columns of a pane
  * @param merges       the aggregate function of each part, which makes one of several
  * @param merged       the result of each of them
  * @param answers      a window's row, from its keys, its bounds and what is merged
  * @param hasWatermark whether windows close
  * @param layout       what the stored panes depend on
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

  /** A window's row, as a column that is made anew. */
  def row: AttributeReference =
    AttributeReference(
      "window",
      StructType(answers.map(a => StructField(a.name, a.dataType))),
      nullable = false
    )()

  /** One row of a pane from several. */
  def ofPane: MergeSpec = MergeSpec(
    parts,
    Nil,
    merges,
    merged,
    merged.zip(parts).map { case (m, part) =>
      // a sum of sums has more digits, and becomes a pane's sum again
      if (m.dataType == part.dataType) m else Cast(m, part.dataType)
    }
  )

  /** A window from its panes. */
  def ofWindow: MergeSpec = MergeSpec(parts, keys ++ bounds, merges, merged, answers)
}
