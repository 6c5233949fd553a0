package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.SparkSession

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{ManifestEntry, ManifestStore, Run, State}
import chronosketch.warehouse.Levels

/** Merges the entries of each level that has too many, each merge in one commit: a reader sees either the inputs or the merged entry.
  *
  * Guarantee  if another writer has merged the inputs meanwhile, the merge is dropped, and no row is lost
  */
private[warehouse] abstract class LevelMerges[A <: ManifestEntry](
    store: ManifestStore,
    commits: EntryCommits
) {

  /** The entries that may be merged with each other. */
  protected def candidates(state: State): IndexedSeq[A]

  /** Writes the rows of several entries as one. */
  protected def write(state: State, inputs: Seq[A], level: Int): A

  /** The next state with the merged entry in place of its inputs; None if these are no longer all present. */
  protected def replace(state: State, inputs: Seq[A], merged: A): Option[State]

  /** Merges until no level has more entries than allowed. Returns how many entries were merged. */
  final def mergeAll(): Int = {
    var count = 0
    var next = nextMerge()
    while (next.nonEmpty) {
      val (state, inputs, level) = next.get
      val text = s"merge ${inputs.size} into one of level $level: ${inputs.map(_.rows).sum} rows"
      val merged = JobDescription.during(text)(write(state, inputs, level))
      // another writer may have merged some of them
      if (commits.replace(inputs, merged)(replace(_, inputs, merged)).isCommitted) count += inputs.size
      next = nextMerge()
    }
    count
  }

  private def nextMerge(): Option[(State, Seq[A], Int)] = for {
    state <- store.current()
    all = candidates(state)
    (places, level) <- Levels.nextMerge(all.map(_.level), state.definition.kappa)
  } yield (state, places.map(all), level)
}

/** Merges runs to keep their number small.
  *
  * Cost  every row of the runs is read, merged with the others and written once
  */
private[warehouse] final class RunLevelMerges(
    session: SparkSession,
    store: ManifestStore,
    folders: EntryFolders,
    writer: RunWriter,
    commits: EntryCommits
) extends LevelMerges[Run](store, commits) {
  protected def candidates(state: State): IndexedSeq[Run] = state.runs

  protected def write(state: State, inputs: Seq[Run], level: Int): Run = writer.write(
    new RunMerge(session, folders, state.definition, inputs.toIndexedSeq),
    state.definition.limits.run(state.runs.indexOf(inputs.head) + 1),
    level,
    inputs.head.firstStep,
    inputs.last.lastStep,
    inputs.map(_.steps).sum
  )

  protected def replace(state: State, inputs: Seq[Run], merged: Run): Option[State] =
    state.mergeRuns(inputs, merged)
}
