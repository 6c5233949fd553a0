package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{LiveBatch, ManifestStore, OpenStep, Run, State}
import chronosketch.spark.warehouse.runs._

/** Keeps the entries of a warehouse few: merges runs and live batches, and ends steps.
  *
  * Guarantee  a reader sees either the live batches of a step or the sorted run that they become; a batch that comes meanwhile stays live,
  *            in another step
  * Cost       every row of a step is read, sorted and written once when the step ends
  */
private[warehouse] final class Upkeep(
    session: SparkSession,
    store: ManifestStore,
    folders: EntryFolders,
    clock: () => Long
) {
  private val rows = new EntryRows(session, folders)
  private val commits = new EntryCommits(store, folders)
  private val writer = new RunWriter(session, folders)
  private val runMerges = new RunLevelMerges(session, store, folders, writer, commits)
  private val liveMerges = new LiveLevelMerges(
    store,
    rows,
    new LiveWriter(session, folders),
    new LiveMemory(session, folders),
    commits
  )

  /** Merges levels that have more than kappa entries. Returns how many runs and live batches were merged. */
  def merge(): Int = liveMerges.mergeAll() + runMerges.mergeAll()

  /** Ends the open step if its time is over. */
  def endStepIfOver(): Unit =
    store.current().foreach(state => state.open.filter(_.isOver(clock())).foreach(end(state, _)))

  /** Ends the open step. Returns the version whose newest run it is; empty if there are no live batches. */
  def endStep(): Option[State] = for {
    state <- store.current()
    open <- state.open
    ended <- end(state, open)
  } yield ended

  /** Ends a step. Returns None if another writer has ended it. */
  private def end(state: State, open: OpenStep): Option[State] = {
    val run = JobDescription.during(
      s"end of a step: ${open.live.map(_.rows).sum} rows of ${open.live.size} live batches become a run"
    )(sortRows(state, open))
    val update = commits.replace(open.live, run)(_.endStep(open.live, run, clock()))
    if (update.isCommitted) Some(update.after)
    else
      // its batches may have been merged meanwhile
      for {
        later <- store.current()
        same <- later.open if same.id == open.id
        ended <- end(later, same)
      } yield ended
  }

  /** Writes the rows of a step as a run. Its step number is preliminary: the final one is set at the commit. */
  private def sortRows(state: State, open: OpenStep): Run = {
    val step = state.stepFor(None)
    writer.write(
      new RowSort(rows.read(open.live, state.definition)),
      state.definition.limits.run(state.runs.size + 1),
      level = 0,
      step,
      step,
      steps = 1
    ).copy(nulls = open.live.map(_.nulls).sum)
  }
}

/** Merges live batches, so that a step may have any number of them.
  *
  * Cost  a row is written again once per level, unsorted
  */
private[live] final class LiveLevelMerges(
    store: ManifestStore,
    rows: EntryRows,
    writer: LiveWriter,
    memory: LiveMemory,
    commits: EntryCommits
) extends LevelMerges[LiveBatch](store, commits) {
  protected def candidates(state: State): IndexedSeq[LiveBatch] = state.live

  protected def write(state: State, inputs: Seq[LiveBatch], level: Int): LiveBatch = {
    val batches = state.live.size - inputs.size + 1
    writer.rewrite(rows.read(inputs, state.definition), state.definition, level, batches)
      .copy(nulls = inputs.map(_.nulls).sum)
  }

  protected def replace(state: State, inputs: Seq[LiveBatch], merged: LiveBatch): Option[State] =
    state.mergeLive(inputs, merged).map(memory.withinMemory)
}
