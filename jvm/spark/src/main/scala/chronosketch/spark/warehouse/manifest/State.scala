package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal
import chronosketch.warehouse.StepWindows

/** All that is true of a warehouse at one version.
  *
  * @param commit   who made it: no other commit has the same
  * @param at       when, in milliseconds since 1970 by the clock of whoever made it
  * @param runs     oldest first
  * @param open     what came from streams since the last step ended; none where nothing did
  * @param written  of each writer the last batch
  * @param streamed of each stream the last batch
  */
private[spark] final case class State(
    definition: Definition,
    version: Long,
    commit: String,
    at: Long,
    runs: IndexedSeq[Run],
    open: Option[OpenStep],
    written: Seq[Written],
    streamed: Seq[Streamed]
) {
  def live: IndexedSeq[Live] = open.fold(IndexedSeq.empty[Live])(_.live)
  def lines: IndexedSeq[Line] = runs ++ live

  def lastStep: Option[Long] = runs.lastOption.map(_.lastStep)
  def rows: Long = lines.map(_.rows).sum
  def bytes: Long = lines.map(_.bytes).sum
  def nulls: Long = lines.map(_.nulls).sum

  /** The step of a writer's batch, if it repeats the last one. The manifest keeps no earlier numbers, so a lower one may be a repeat or new
    * rows: it is refused, because either guess could lose rows or count them twice.
    */
  def stepOf(writer: String, batch: Long): Option[Long] =
    written.find(_.writer == writer).flatMap { last =>
      if (batch < last.batch) throw passed("CHRONOSKETCH_WAREHOUSE_BATCH_PASSED", writer, batch, last.batch)
      Option.when(batch == last.batch)(last.step)
    }

  /** Whether a stream's batch repeats the last one, as Spark does after a restart. A lower one comes from an older checkpoint, and is
    * refused.
    */
  def hasTaken(batch: Streamed): Boolean =
    streamed.find(_.query == batch.query).exists { last =>
      if (batch.batch < last.batch)
        throw passed("CHRONOSKETCH_WAREHOUSE_STREAM_PASSED", batch.query, batch.batch, last.batch)
      batch.batch == last.batch
    }

  private def passed(condition: String, writer: String, batch: Long, last: Long): Refusal =
    Refusal(condition, "writer" -> writer, "batch" -> batch.toString, "last" -> last.toString)

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

  /** With other lines in the place of the live ones, of the same rows. */
  def withLive(line: Live => Live): State =
    copy(open = open.map(step => step.copy(live = step.live.map(line))))

  /** With one run in place of several; none where these do not all stand any more. */
  def merging(inputs: Seq[Run], merged: Run): Option[State] =
    State.replaced(runs, inputs, merged).map(all => next.copy(runs = all))

  /** With a stream's batch in the open step, which is over at a time that was given before, or now: at the earlier one. */
  def taking(batch: Live, of: Streamed, until: Option[Long], defined: Definition): State = next.copy(
    definition = defined,
    open = Some(open.fold(OpenStep(State.newId(), until, Vector(batch))) { step =>
      step.copy(until = (step.until ++ until).minOption, live = step.live :+ batch)
    }),
    streamed = streamed.filterNot(_.query == of.query) :+ of
  )

  /** With one live batch in place of several; none where these do not all stand any more. */
  def gathering(inputs: Seq[Live], merged: Live): Option[State] = for {
    step <- open
    all <- State.replaced(step.live, inputs, merged)
  } yield next.copy(open = Some(step.copy(live = all)))

  /** With a run as the next step in place of the live batches that it was made of; none where these do not all stand any more. What has
    * come since is the beginning of another step.
    */
  def ending(inputs: Seq[Live], run: Run, now: Long): Option[State] = open.collect {
    case step if inputs.nonEmpty && step.live.startsWith(inputs) =>
      val at = stepFor(None)
      val rest = step.live.drop(inputs.size)
      next.copy(
        runs = runs :+ run.copy(firstStep = at, lastStep = at),
        open = Option.when(rest.nonEmpty)(OpenStep(State.newId(), step.until.filter(_ > now), rest))
      )
  }

  /** Without the runs that have none of the last so many steps that have ended; none where there are no such runs. */
  def retaining(steps: Long): Option[State] = {
    val (whole, isCut) = StepWindows.split(runs.reverse.map(_.steps), steps)
    val kept = runs.takeRight(if (isCut) whole + 1 else whole)
    Option.when(kept.size < runs.size)(next.copy(runs = kept))
  }

  private def next: State =
    copy(version = version + 1, commit = State.newId(), at = System.currentTimeMillis())
}

private[spark] object State {
  def newId(): String = java.util.UUID.randomUUID().toString

  def first(definition: Definition): State =
    State(definition, 0L, newId(), System.currentTimeMillis(), Vector.empty, None, Nil, Nil)

  private def replaced[A <: Line](all: IndexedSeq[A], inputs: Seq[A], by: A): Option[IndexedSeq[A]] = {
    val at = all.indexOfSlice(inputs)
    Option.when(at >= 0 && inputs.nonEmpty)(all.patch(at, Seq(by), inputs.size))
  }
}
