package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.Attribute

/** The part of the plan that a task needs to merge windows of a table's panes.
  *
  * @param by    the keys
  * @param pane  the column with the number of a row's pane
  * @param block the column with the number of the block of windows that a row is sent to
  * @param merge how panes are merged; the caller supplies the keys, the start and the end of each window
  */
private[spark] final case class HoppingSpec(
    by: Seq[Attribute],
    pane: Attribute,
    block: Attribute,
    assigner: WindowAssigner,
    merge: MergeSpec
)
