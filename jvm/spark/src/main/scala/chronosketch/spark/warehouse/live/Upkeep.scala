package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession

import chronosketch.spark.warehouse.manifest.{RunStore, State}
import chronosketch.spark.warehouse.merges.Compaction
import chronosketch.spark.warehouse.runs._

/** What keeps the lines of a warehouse few: merges of runs and of live batches, and the ends of steps. */
private[warehouse] final class Upkeep(
    session: SparkSession,
    store: RunStore,
    folders: RunFolders,
    clock: () => Long
) {
  private val rows = new LineRows(session, folders)
  private val replacement = new Replacement(store, folders)
  private val runs = new RunWriter(session, folders)
  private val compaction = new Compaction(session, store, folders, runs, replacement)
  private val gathering = new Gathering(
    store,
    rows,
    new LiveWriter(session, folders),
    new LiveShares(session, folders),
    replacement
  )
  private val end = new StepEnd(store, rows, runs, replacement, clock)

  /** Merges where a level has more than kappa; how many runs and live batches were merged. */
  def merge(): Int = gathering.all() + compaction.all()

  /** Ends the step that is open, if its time is over. */
  def endStepIfOver(): Unit = end.ifOver()

  /** Ends the step that is open; the version that has it as its newest run. None where nothing was live. */
  def endStep(): Option[State] = end.now()
}
