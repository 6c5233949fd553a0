package chronosketch.spark.warehouse.answers

import chronosketch.spark.warehouse.manifest.{Run, State}
import chronosketch.warehouse.StepWindows

/** The runs that a question is about, newest first: those that count, and one of which it is not known how much does. */
private[warehouse] final case class Covered(whole: Seq[Run], cut: Option[Run]) {
  def all: Seq[Run] = whole ++ cut
  def rows: Long = all.map(_.rows).sum
  def bytes: Long = all.map(_.bytes).sum
}

private[warehouse] object Covered {

  /** The last so many steps of a state; none: all. */
  def of(state: State, window: Option[Long]): Covered = {
    val newest = state.runs.reverse
    window.fold(Covered(newest, None)) { k =>
      val (whole, isCut) = StepWindows.split(newest.map(_.steps), k)
      Covered(newest.take(whole), if (isCut) Some(newest(whole)) else None)
    }
  }
}
