package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal
import chronosketch.warehouse.StepWindows

/** The complete state of a warehouse at one version.
  *
  * @param commit      a unique id of the commit that made it
  * @param committedAt when it was made, in milliseconds since 1970 by the writer's clock
  * @param runs        oldest first
  * @param open        the rows of streams since the last step ended; empty if there are none
  * @param writers     the last batch of each writer
  * @param streams     the last batch of each stream
  */
private[spark] final case class State(
    definition: Definition,
    version: Long,
    commit: String,
    committedAt: Long,
    runs: IndexedSeq[Run],
    open: Option[OpenStep],
    writers: Seq[WriterBatch],
    streams: Seq[StreamBatch]
) {
  def live: IndexedSeq[LiveBatch] = open.fold(IndexedSeq.empty[LiveBatch])(_.live)
  def entries: IndexedSeq[ManifestEntry] = runs ++ live

  def lastStep: Option[Long] = runs.lastOption.map(_.lastStep)
  def rows: Long = entries.map(_.rows).sum
  def bytes: Long = entries.map(_.bytes).sum
  def nulls: Long = entries.map(_.nulls).sum

  /** The step of a writer's batch if it repeats the last one. The manifest keeps no earlier numbers, so a lower number may be a repeat or
    * new rows: it is refused, because either guess could lose rows or count them twice.
    */
  def stepOfRepeat(writer: String, batch: Long): Option[Long] =
    writers.find(_.writer == writer).flatMap { last =>
      if (batch < last.batch)
        throw batchPassed("CHRONOSKETCH_WAREHOUSE_BATCH_PASSED", writer, batch, last.batch)
      Option.when(batch == last.batch)(last.step)
    }

  /** Whether a stream's batch repeats the last one, as Spark does after a restart. A lower number comes from an older checkpoint and is
    * refused.
    */
  def isRepeat(batch: StreamBatch): Boolean =
    streams.find(_.query == batch.query).exists { last =>
      if (batch.batch < last.batch)
        throw batchPassed("CHRONOSKETCH_WAREHOUSE_STREAM_PASSED", batch.query, batch.batch, last.batch)
      batch.batch == last.batch
    }

  private def batchPassed(condition: String, writer: String, batch: Long, last: Long): Refusal =
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

  /** The runs of the steps from `first` to `last`. Refuses steps that have been merged with others. */
  def runsOf(first: Long, last: Long): IndexedSeq[Run] = {
    val found = runs.filter(run => run.firstStep <= last && run.lastStep >= first)
    val (least, greatest) = (found.map(_.firstStep) :+ first, found.map(_.lastStep) :+ last)
    if (least.min < first || greatest.max > last)
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_STEPS_MERGED",
        "step" -> first.toString,
        "last" -> last.toString,
        "mergedFirst" -> least.min.toString,
        "mergedLast" -> greatest.max.toString
      )
    found
  }

  // each of the following methods returns the next state; those that return an Option return None if nothing is to be changed

  /** Adds a run. */
  def append(run: Run): State = next.copy(runs = runs :+ run)

  /** This version, with the batch of a writer, if any, and the types of its rows. */
  def recording(by: Option[WriterBatch], defined: Definition): State = copy(
    definition = defined,
    writers = writers.filterNot(w => by.exists(_.writer == w.writer)) ++ by
  )

  /** Changes, drops and adds entries, if those to be changed or dropped are all still present. */
  def edit(changes: EntryChanges): Option[State] = {
    val ids = entries.map(_.id).toSet
    Option.when((changes.runs.keySet ++ changes.live.keySet).subsetOf(ids)) {
      val changed = runs.flatMap(run => changes.runs.getOrElse(run.id, Some(run)))
      val (older, newer) = changed.partition(run => changes.added.forall(run.lastStep < _.firstStep))
      next.copy(runs = older ++ changes.added ++ newer)
        .mapLive(batch => changes.live.getOrElse(batch.id, batch))
    }
  }

  /** Puts one run in place of its inputs, if these are all still present. */
  def mergeRuns(inputs: Seq[Run], merged: Run): Option[State] =
    State.replace(runs, inputs, merged).map(all => next.copy(runs = all))

  /** Adds a stream's batch to the open step. The step then ends at its previous end or at `until`, whichever is earlier. */
  def addLive(batch: LiveBatch, by: StreamBatch, until: Option[Long], defined: Definition): State = next.copy(
    definition = defined,
    open = Some(open.fold(OpenStep(State.newId(), until, Vector(batch))) { step =>
      step.copy(until = (step.until ++ until).minOption, live = step.live :+ batch)
    }),
    streams = streams.filterNot(_.query == by.query) :+ by
  )

  /** Puts one live batch in place of its inputs, if these are all still present. */
  def mergeLive(inputs: Seq[LiveBatch], merged: LiveBatch): Option[State] = for {
    step <- open
    all <- State.replace(step.live, inputs, merged)
  } yield next.copy(open = Some(step.copy(live = all)))

  /** Puts a run, as the next step, in place of the live batches that it was made of, if these are all still present. Batches that came
    * meanwhile begin another step.
    */
  def endStep(inputs: Seq[LiveBatch], run: Run, now: Long): Option[State] = open.collect {
    case step if inputs.nonEmpty && step.live.startsWith(inputs) =>
      val number = stepFor(None)
      val rest = step.live.drop(inputs.size)
      next.copy(
        runs = runs :+ run.copy(firstStep = number, lastStep = number),
        open = Option.when(rest.nonEmpty)(OpenStep(State.newId(), step.until.filter(_ > now), rest))
      )
  }

  /** Drops the runs that lie completely before the last `steps` ended steps, if there are any. */
  def retain(steps: Long): Option[State] = {
    val (whole, isCut) = StepWindows.split(runs.reverse.map(_.steps), steps)
    val retained = runs.takeRight(if (isCut) whole + 1 else whole)
    Option.when(retained.size < runs.size)(next.copy(runs = retained))
  }

  private def next: State =
    copy(version = version + 1, commit = State.newId(), committedAt = System.currentTimeMillis())

  /** A copy of this version with each live batch replaced by another. */
  def mapLive(replace: LiveBatch => LiveBatch): State =
    copy(open = open.map(step => step.copy(live = step.live.map(replace))))
}

private[spark] object State {
  def newId(): String = java.util.UUID.randomUUID().toString

  /** The first state of a new warehouse. */
  def initial(definition: Definition): State =
    State(definition, 0L, newId(), System.currentTimeMillis(), Vector.empty, None, Nil, Nil)

  private def replace[A <: ManifestEntry](
      all: IndexedSeq[A],
      inputs: Seq[A],
      by: A
  ): Option[IndexedSeq[A]] = {
    val at = all.indexOfSlice(inputs)
    Option.when(at >= 0 && inputs.nonEmpty)(all.patch(at, Seq(by), inputs.size))
  }
}

/** Changes of entries, by id.
  *
  * @param runs  the run that takes the place of another, or None if that is dropped
  * @param live  the live batch that takes the place of another
  * @param added a new run
  */
private[spark] final case class EntryChanges(
    runs: Map[String, Option[Run]],
    live: Map[String, LiveBatch],
    added: Option[Run]
)

/** The last committed batch of a writer and its step. Used to ignore a repeated batch and to refuse a lower number. */
private[spark] final case class WriterBatch(writer: String, batch: Long, step: Long)

/** The last committed batch of a stream. `query` is the id of the query, which its checkpoint keeps. */
private[spark] final case class StreamBatch(query: String, batch: Long)
