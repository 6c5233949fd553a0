package chronosketch.spark.warehouse.merges

import org.apache.spark.sql.SparkSession

import chronosketch.spark.warehouse.manifest.{Run, RunStore, State}
import chronosketch.spark.warehouse.runs.{Replacement, RunFolders, RunWriter}

/** Merges runs to keep their number small.
  *
  * Cost  every row of the runs is read, merged with the others and written once
  */
private[warehouse] final class Compaction(
    session: SparkSession,
    store: RunStore,
    folders: RunFolders,
    writer: RunWriter,
    replacement: Replacement
) extends LevelMerges[Run](store, replacement) {
  protected def lines(state: State): IndexedSeq[Run] = state.runs

  protected def write(state: State, inputs: Seq[Run], level: Int): Run = writer.write(
    new RunMerge(session, folders, state.definition, inputs.toIndexedSeq),
    state.definition.limits.run(state.runs.indexOf(inputs.head) + 1),
    level,
    inputs.head.firstStep,
    inputs.last.lastStep,
    inputs.map(_.steps).sum
  )

  protected def swapped(state: State, inputs: Seq[Run], merged: Run): Option[State] =
    state.merging(inputs, merged)
}
