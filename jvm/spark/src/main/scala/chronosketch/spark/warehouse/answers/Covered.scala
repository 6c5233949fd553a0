package chronosketch.spark.warehouse.answers

import chronosketch.spark.warehouse.manifest.{Line, Live, Run, State}
import chronosketch.warehouse.StepWindows

/** The runs and live batches in the window of a question.
  *
  * @param whole the runs inside the window, newest first
  * @param cut   the run that is partly inside: it is unknown which of its rows are
  */
private[warehouse] final case class Covered(live: Seq[Live], whole: Seq[Run], cut: Option[Run]) {
  def runs: Seq[Run] = whole ++ cut
  def all: Seq[Line] = live ++ runs
  def rows: Long = all.map(_.rows).sum
  def bytes: Long = all.map(_.bytes).sum
}

private[warehouse] object Covered {

  /** The entries in the last `window` steps, or all if absent. The open step counts as the newest while it has live batches. */
  def of(state: State, window: Option[Long]): Covered = {
    val newest = state.runs.reverse
    window.fold(Covered(state.live, newest, None)) { k =>
      val ended = if (state.open.isEmpty) k else k - 1
      val (whole, isCut) = StepWindows.split(newest.map(_.steps), ended)
      Covered(state.live, newest.take(whole), if (isCut) Some(newest(whole)) else None)
    }
  }
}
