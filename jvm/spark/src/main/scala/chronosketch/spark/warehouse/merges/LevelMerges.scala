package chronosketch.spark.warehouse.merges

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{Line, RunStore, State}
import chronosketch.spark.warehouse.runs.Replacement
import chronosketch.warehouse.Levels

/** Merges lines where a level has more than it may, each time in one commit: a reader sees those lines or the one that takes their place.
  *
  * Guarantee  a merge that another overtakes is dropped, and no row with it
  */
private[warehouse] abstract class LevelMerges[A <: Line](store: RunStore, replacement: Replacement) {

  /** The lines that may be merged with each other. */
  protected def lines(state: State): IndexedSeq[A]

  /** Writes the rows of some lines as one. */
  protected def write(state: State, inputs: Seq[A], level: Int): A

  /** The state with one line in place of several; none where these do not all stand any more. */
  protected def swapped(state: State, inputs: Seq[A], merged: A): Option[State]

  /** How many lines were merged. */
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
      // another may have taken some of them
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
