package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal

/** All that is true of a warehouse at one version.
  *
  * @param commit  who made it: no other commit has the same
  * @param at      when, in milliseconds since 1970 by the clock of whoever made it
  * @param runs    oldest first
  * @param written of each writer the last batch
  */
private[spark] final case class State(
    definition: Definition,
    version: Long,
    commit: String,
    at: Long,
    runs: IndexedSeq[Run],
    written: Seq[Written]
) {
  def lastStep: Option[Long] = runs.lastOption.map(_.lastStep)
  def rows: Long = runs.map(_.rows).sum
  def bytes: Long = runs.map(_.bytes).sum

  /** The step of a writer's batch that is there already. */
  def stepOf(writer: String, batch: Long): Option[Long] =
    written.find(w => w.writer == writer && batch <= w.batch).map(_.step)

  /** The step that rows get: the one given, which must come after all others, or the next. */
  def stepFor(wanted: Option[Long]): Long = wanted match {
    case Some(step) if lastStep.exists(step <= _) =>
      throw Refusal(
        "CHRONOSKETCH_STEP_TAKEN",
        "step" -> step.toString,
        "last" -> lastStep.get.toString,
        "next" -> (lastStep.get + 1).toString
      )
    case Some(step) => step
    case None => lastStep.fold(1L)(_ + 1)
  }

  def appending(run: Run, by: Option[Written], defined: Definition): State = next.copy(
    definition = defined,
    runs = runs :+ run,
    written = written.filterNot(w => by.exists(_.writer == w.writer)) ++ by
  )

  /** With one run in place of several; none where these do not all stand any more. */
  def merging(inputs: Seq[Run], merged: Run): Option[State] = {
    val at = runs.indexOfSlice(inputs)
    if (at < 0 || inputs.isEmpty) None
    else Some(next.copy(runs = runs.patch(at, Seq(merged), inputs.size)))
  }

  private def next: State =
    copy(version = version + 1, commit = State.newId(), at = System.currentTimeMillis())
}

private[spark] object State {
  def newId(): String = java.util.UUID.randomUUID().toString

  def first(definition: Definition): State =
    State(definition, 0L, newId(), System.currentTimeMillis(), Vector.empty, Nil)
}
