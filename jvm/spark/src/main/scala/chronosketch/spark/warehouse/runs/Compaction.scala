package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{Run, RunStore, State}
import chronosketch.warehouse.Levels

/** Merges runs where a level has more than it may, each time in one commit: a reader sees those runs or the one that takes their place.
  *
  * Guarantee  a merge that another overtakes is dropped, and no row with it
  * Cost       every row of the runs is read, sorted and written once
  */
private[warehouse] final class Compaction(
    store: RunStore,
    rows: LineRows,
    writer: RunWriter,
    replacement: Replacement
) {

  /** How many runs were merged. */
  def all(): Int = {
    var merged = 0
    var next = due()
    while (next.nonEmpty) {
      val (state, inputs, level) = next.get
      if (merge(state, inputs, level)) merged += inputs.size
      next = due()
    }
    merged
  }

  private def due(): Option[(State, Seq[Run], Int)] = for {
    state <- store.current()
    (places, level) <- Levels.due(state.runs.map(_.level), state.definition.kappa)
  } yield (state, places.map(state.runs), level)

  /** Whether the merge was committed; another may have taken some of the runs. */
  private def merge(state: State, inputs: Seq[Run], level: Int): Boolean = {
    val run = writer.write(
      rows.of(inputs, state.definition),
      state.definition.epsilon1,
      level,
      inputs.head.firstStep,
      inputs.last.lastStep,
      inputs.map(_.steps).sum
    ).copy(nulls = inputs.map(_.nulls).sum)
    replacement.commit(run)(_.merging(inputs, run)).nonEmpty
  }
}
