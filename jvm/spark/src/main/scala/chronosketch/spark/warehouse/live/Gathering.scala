package chronosketch.spark.warehouse.live

import chronosketch.spark.warehouse.manifest.{Live, RunStore, State}
import chronosketch.spark.warehouse.runs.{LineRows, Replacement}
import chronosketch.warehouse.Levels

/** Makes one live batch of several where there are many, so that a step may have any number of batches.
  *
  * Guarantee  what another overtakes is dropped, and no row with it
  * Cost       a row is written again once a level, unsorted
  */
private[warehouse] final class Gathering(
    store: RunStore,
    rows: LineRows,
    writer: LiveWriter,
    replacement: Replacement
) {

  /** How many live batches were put together with others. */
  def all(): Int = {
    var gathered = 0
    var next = due()
    while (next.nonEmpty) {
      val (state, inputs, level) = next.get
      if (gather(state, inputs, level)) gathered += inputs.size
      next = due()
    }
    gathered
  }

  private def due(): Option[(State, Seq[Live], Int)] = for {
    state <- store.current()
    (places, level) <- Levels.due(state.live.map(_.level), state.definition.kappa)
  } yield (state, places.map(state.live), level)

  private def gather(state: State, inputs: Seq[Live], level: Int): Boolean = {
    val live = writer.write(rows.of(inputs, state.definition), state.definition, level)
      .copy(nulls = inputs.map(_.nulls).sum)
    replacement.commit(live)(_.gathering(inputs, live)).nonEmpty
  }
}
