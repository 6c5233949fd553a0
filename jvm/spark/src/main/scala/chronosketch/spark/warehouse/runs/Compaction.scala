package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.blocks.RowSort
import chronosketch.spark.warehouse.manifest.{Definition, Run, RunStore, State}

/** Merges runs, so that they are few.
  *
  * Cost  every row of the runs is read, sorted and written once
  */
private[warehouse] final class Compaction(
    store: RunStore,
    rows: LineRows,
    writer: RunWriter,
    replacement: Replacement
) extends LevelMerges[Run](store, replacement) {
  protected def lines(state: State): IndexedSeq[Run] = state.runs

  protected def write(definition: Definition, inputs: Seq[Run], level: Int): Run = writer.write(
    new RowSort(rows.of(inputs, definition)),
    definition.epsilon1,
    level,
    inputs.head.firstStep,
    inputs.last.lastStep,
    inputs.map(_.steps).sum
  ).copy(nulls = inputs.map(_.nulls).sum)

  protected def swapped(state: State, inputs: Seq[Run], merged: Run): Option[State] =
    state.merging(inputs, merged)
}
