package chronosketch.spark.warehouse.live

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.blocks.RowSort
import chronosketch.spark.warehouse.manifest.{OpenStep, Run, RunStore, State}
import chronosketch.spark.warehouse.runs.{LineRows, Replacement, RunWriter}

/** Ends the open step: its live batches become one sorted run, in one commit.
  *
  * Guarantee  a reader sees either the batches or the run; a batch that comes meanwhile stays live, in another step
  * Cost       every row of the step is read, sorted and written once
  */
private[warehouse] final class StepEnd(
    store: RunStore,
    rows: LineRows,
    writer: RunWriter,
    replacement: Replacement,
    clock: () => Long
) {

  /** Ends the open step if its time is over. */
  def ifOver(): Unit =
    store.current().foreach(state => state.open.filter(_.isOver(clock())).foreach(end(state, _)))

  /** Ends the open step. Returns the version whose newest run it is; empty if there are no live batches. */
  def now(): Option[State] = for {
    state <- store.current()
    open <- state.open
    ended <- end(state, open)
  } yield ended

  /** Ends a step. Returns None if another writer has ended it. */
  private def end(state: State, open: OpenStep): Option[State] = {
    val run = JobDescription.during(
      s"end of a step: ${open.live.map(_.rows).sum} rows of ${open.live.size} live batches become a run"
    )(sorted(state, open))
    replacement.commit(open.live, run)(_.ending(open.live, run, clock())) match {
      case None =>
        // its batches may have been merged meanwhile
        for {
          later <- store.current()
          same <- later.open if same.id == open.id
          ended <- end(later, same)
        } yield ended
      case ended => ended
    }
  }

  private def sorted(state: State, open: OpenStep): Run = {
    // preliminary: the final number is set at the commit
    val step = state.stepFor(None)
    writer.write(
      new RowSort(rows.of(open.live, state.definition)),
      state.definition.limits.run(state.runs.size + 1),
      0,
      step,
      step,
      1
    )
      .copy(nulls = open.live.map(_.nulls).sum)
  }
}
