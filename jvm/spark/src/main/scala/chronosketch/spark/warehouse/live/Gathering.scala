package chronosketch.spark.warehouse.live

import chronosketch.spark.warehouse.manifest.{Live, RunStore, State}
import chronosketch.spark.warehouse.merges.LevelMerges
import chronosketch.spark.warehouse.runs.{LineRows, Replacement}

/** Merges live batches, so that a step may have any number of them.
  *
  * Cost  a row is written again once per level, unsorted
  */
private[warehouse] final class Gathering(
    store: RunStore,
    rows: LineRows,
    writer: LiveWriter,
    shares: LiveShares,
    replacement: Replacement
) extends LevelMerges[Live](store, replacement) {
  protected def lines(state: State): IndexedSeq[Live] = state.live

  protected def write(state: State, inputs: Seq[Live], level: Int): Live = {
    val batches = state.live.size - inputs.size + 1
    writer.write(rows.of(inputs, state.definition), state.definition, level, batches)
      .copy(nulls = inputs.map(_.nulls).sum)
  }

  protected def swapped(state: State, inputs: Seq[Live], merged: Live): Option[State] =
    state.gathering(inputs, merged).map(shares.kept)
}
