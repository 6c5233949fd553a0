package chronosketch.spark.warehouse.live

import chronosketch.spark.warehouse.manifest.{Definition, Live, RunStore, State}
import chronosketch.spark.warehouse.merges.LevelMerges
import chronosketch.spark.warehouse.runs.{LineRows, Replacement}

/** Merges live batches, so that a step may have any number of them.
  *
  * Cost  a row is written again once a level, unsorted
  */
private[warehouse] final class Gathering(
    store: RunStore,
    rows: LineRows,
    writer: LiveWriter,
    replacement: Replacement
) extends LevelMerges[Live](store, replacement) {
  protected def lines(state: State): IndexedSeq[Live] = state.live

  protected def write(definition: Definition, inputs: Seq[Live], level: Int, place: Int): Live =
    writer.write(rows.of(inputs, definition), definition, level, place).copy(nulls = inputs.map(_.nulls).sum)

  protected def swapped(state: State, inputs: Seq[Live], merged: Live): Option[State] =
    state.gathering(inputs, merged)
}
