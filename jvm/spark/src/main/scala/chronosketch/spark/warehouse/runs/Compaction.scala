package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import chronosketch.spark.warehouse.manifest.{Run, RunStore, State}
import chronosketch.warehouse.Levels

/** Merges runs where a level has more than it may, each time in one commit: a reader sees those runs or the one that takes their place.
  *
  * Guarantee  a merge that another overtakes is dropped, and no row with it
  * Cost       every row of the runs is read, sorted and written once
  */
private[warehouse] final class Compaction(
    session: SparkSession,
    store: RunStore,
    folders: RunFolders,
    writer: RunWriter
) {

  /** How many runs were merged. */
  def all(): Int = {
    var merged = 0
    var next = due()
    while (next.nonEmpty) {
      val (state, inputs, level) = next.get
      if (merge(state, inputs, level)) merged += inputs.size
      next = due()
    }
    merged
  }

  private def due(): Option[(State, Seq[Run], Int)] = for {
    state <- store.current()
    (places, level) <- Levels.due(state.runs.map(_.level), state.definition.kappa)
  } yield (state, places.map(state.runs), level)

  /** Whether the merge was committed; another may have taken some of the runs. */
  private def merge(state: State, inputs: Seq[Run], level: Int): Boolean = {
    val schema = state.definition.schema(state.definition.types.get)
    val run = writer.write(
      rows(inputs, schema),
      state.definition.epsilon1,
      level,
      inputs.head.firstStep,
      inputs.last.lastStep,
      inputs.map(_.steps).sum
    ).copy(nulls = inputs.map(_.nulls).sum)
    val isCommitted = swap(inputs, run)
    if (!isCommitted) folders.delete(run.id)
    isCommitted
  }

  private def swap(inputs: Seq[Run], run: Run): Boolean =
    store.current().flatMap(_.merging(inputs, run)) match {
      case None => false
      case Some(next) => store.commit(next) || swap(inputs, run)
    }

  private def rows(inputs: Seq[Run], schema: StructType): DataFrame = {
    val files = inputs.flatMap(run => run.files.zip(folders.rowsOf(run)))
    files.foreach { case (file, path) => folders.require(path, file) }
    if (files.isEmpty) session.createDataFrame(java.util.Collections.emptyList[Row](), schema)
    else session.read.schema(schema).parquet(files.map(_._2.toString): _*)
  }
}
