package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.Attribute

/** What a task makes windows of a table's panes with.
  *
  * @param by    the keys
  * @param pane  the number of a row's pane
  * @param block the number of the block of windows that a row is for
  * @param merge from the columns of a pane, with the keys, the start and the end of a window
  */
private[spark] final case class HoppingSpec(
    by: Seq[Attribute],
    pane: Attribute,
    block: Attribute,
    assigner: WindowAssigner,
    merge: MergeSpec
)
