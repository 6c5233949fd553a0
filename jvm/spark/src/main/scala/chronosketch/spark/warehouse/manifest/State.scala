package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal
import chronosketch.warehouse.StepWindows

/** The complete state of a warehouse at one version.
  *
  * @param commit   a unique id of the commit that made it
  * @param at       when it was made, in milliseconds since 1970 by the writer's clock
  * @param runs     oldest first
  * @param open     the rows of streams since the last step ended; empty if there are none
  * @param written  the last batch of each writer
  * @param streamed the last batch of each stream
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

  /** The step of a writer's batch if it repeats the last one. The manifest keeps no earlier numbers, so a lower number may be a repeat or
    * new rows: it is refused, because either guess could lose rows or count them twice.
    */
  def stepOf(writer: String, batch: Long): Option[Long] =
    written.find(_.writer == writer).flatMap { last =>
      if (batch < last.batch) throw passed("CHRONOSKETCH_WAREHOUSE_BATCH_PASSED", writer, batch, last.batch)
      Option.when(batch == last.batch)(last.step)
    }

  /** Whether a stream's batch repeats the last one, as Spark does after a restart. A lower number comes from an older checkpoint and is
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

  /** The step of new rows: the given one, which must be greater than all others, or the next. */
  def stepFor(requested: Option[Long]): Long = requested match {
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

  /** The next state, with a run added; `by` is the writer's batch, if any. */
  def appending(run: Run, by: Option[Written], defined: Definition): State = next.copy(
    definition = defined,
    runs = runs :+ run,
    written = written.filterNot(w => by.exists(_.writer == w.writer)) ++ by
  )

  /** A copy with each live batch replaced by one with the same rows. */
  def withLive(line: Live => Live): State =
    copy(open = open.map(step => step.copy(live = step.live.map(line))))

  /** The next state with one run in place of its inputs; empty if these are no longer all present. */
  def merging(inputs: Seq[Run], merged: Run): Option[State] =
    State.replaced(runs, inputs, merged).map(all => next.copy(runs = all))

  /** The next state with a stream's batch added to the open step. The step then ends at its previous end or at `until`, whichever is
    * earlier.
    */
  def taking(batch: Live, from: Streamed, until: Option[Long], defined: Definition): State = next.copy(
    definition = defined,
    open = Some(open.fold(OpenStep(State.newId(), until, Vector(batch))) { step =>
      step.copy(until = (step.until ++ until).minOption, live = step.live :+ batch)
    }),
    streamed = streamed.filterNot(_.query == from.query) :+ from
  )

  /** The next state with one live batch in place of its inputs; empty if these are no longer all present. */
  def gathering(inputs: Seq[Live], merged: Live): Option[State] = for {
    step <- open
    all <- State.replaced(step.live, inputs, merged)
  } yield next.copy(open = Some(step.copy(live = all)))

  /** The next state with a run as the next step in place of the live batches that it was made of; empty if these are no longer all present.
    * Batches that came meanwhile begin another step.
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

  /** The next state without the runs that lie completely before the last `steps` ended steps; empty if there are no such runs. */
  def retaining(steps: Long): Option[State] = {
    val (whole, isCut) = StepWindows.split(runs.reverse.map(_.steps), steps)
    val retained = runs.takeRight(if (isCut) whole + 1 else whole)
    Option.when(retained.size < runs.size)(next.copy(runs = retained))
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
