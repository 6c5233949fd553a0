package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession

import chronosketch.spark.warehouse.manifest.{RunStore, State}
import chronosketch.spark.warehouse.merges.Compaction
import chronosketch.spark.warehouse.runs._

/** Keeps the entries of a warehouse few: merges runs and live batches, and ends steps. */
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

  /** Merges levels that have more than kappa entries. Returns how many runs and live batches were merged. */
  def merge(): Int = gathering.all() + compaction.all()

  /** Ends the open step if its time is over. */
  def endStepIfOver(): Unit = end.ifOver()

  /** Ends the open step. Returns the version whose newest run it is; empty if there were no live batches. */
  def endStep(): Option[State] = end.now()
}
