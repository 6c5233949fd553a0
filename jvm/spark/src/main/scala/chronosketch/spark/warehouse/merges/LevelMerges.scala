package chronosketch.spark.warehouse.merges

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{Line, RunStore, State}
import chronosketch.spark.warehouse.runs.Replacement
import chronosketch.warehouse.Levels

/** Merges entries of a level that has more than allowed, each merge in one commit: a reader sees either the inputs or the merged entry.
  *
  * Guarantee  if another writer has merged the inputs meanwhile, the merge is dropped, and no row is lost
  */
private[warehouse] abstract class LevelMerges[A <: Line](store: RunStore, replacement: Replacement) {

  /** The entries that may be merged with each other. */
  protected def lines(state: State): IndexedSeq[A]

  /** Writes the rows of several entries as one. */
  protected def write(state: State, inputs: Seq[A], level: Int): A

  /** The next state with the merged entry in place of its inputs; empty if these are no longer all present. */
  protected def swapped(state: State, inputs: Seq[A], merged: A): Option[State]

  /** Merges until no level has more entries than allowed. Returns how many entries were merged. */
  final def all(): Int = {
    var count = 0
    var next = due()
    while (next.nonEmpty) {
      val (state, inputs, level) = next.get
      val merged =
        JobDescription.during(
          s"merge ${inputs.size} into one of level $level: ${inputs.map(_.rows).sum} rows"
        ) {
          write(state, inputs, level)
        }
      // another writer may have merged some of them
      if (replacement.commit(inputs, merged)(swapped(_, inputs, merged)).nonEmpty) count += inputs.size
      next = due()
    }
    count
  }

  private def due(): Option[(State, Seq[A], Int)] = for {
    state <- store.current()
    candidates = lines(state)
    (places, level) <- Levels.due(candidates.map(_.level), state.definition.kappa)
  } yield (state, places.map(candidates), level)
}
