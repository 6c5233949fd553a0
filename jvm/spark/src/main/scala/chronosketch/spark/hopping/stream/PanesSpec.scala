package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression}
import org.apache.spark.sql.types.{StructField, StructType}

import chronosketch.spark.hopping.panes.Hop

/** What a task is told of a stream's windows.
  *
  * @param keys         of the windows; a stream without any has one that is the same for all rows
  * @param bounds       of a window: its start and end
  * @param parts        of a pane
  * @param merges       functions of parts: what they make is of the same kind
  * @param hasWatermark whether windows close
  */
private[stream] final case class PanesSpec(
    keys: Seq[Attribute],
    hop: Hop,
    bounds: Seq[Attribute],
    parts: Seq[Attribute],
    merges: Seq[Expression],
    hasWatermark: Boolean
) {
  def keySchema: StructType = StructType(keys.map(k => StructField(k.name, k.dataType)))

  /** A sum of sums has more digits, and is a pane's sum again. */
  def asPart(merged: Expression, part: Attribute): Expression =
    if (merged.dataType == part.dataType) merged else Cast(merged, part.dataType)
}
