package chronosketch.spark.warehouse.answers

import chronosketch.spark.warehouse.manifest.{Line, Live, Run, State}
import chronosketch.warehouse.StepWindows

/** What a question is about: live batches, and runs, newest first: those that count, and one of which it is not known how much does. */
private[warehouse] final case class Covered(live: Seq[Live], whole: Seq[Run], cut: Option[Run]) {
  def runs: Seq[Run] = whole ++ cut
  def all: Seq[Line] = live ++ runs
  def rows: Long = all.map(_.rows).sum
  def bytes: Long = all.map(_.bytes).sum
}

private[warehouse] object Covered {

  /** The last so many steps of a state, of which the open one is the newest while something is live; none: all. */
  def of(state: State, window: Option[Long]): Covered = {
    val newest = state.runs.reverse
    window.fold(Covered(state.live, newest, None)) { k =>
      val ended = if (state.open.isEmpty) k else k - 1
      val (whole, isCut) = StepWindows.split(newest.map(_.steps), ended)
      Covered(state.live, newest.take(whole), if (isCut) Some(newest(whole)) else None)
    }
  }
}
