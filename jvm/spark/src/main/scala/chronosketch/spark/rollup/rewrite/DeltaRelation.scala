package chronosketch.spark.rollup.rewrite

import scala.util.Try

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

/** A Delta table as a plan reads it.
  *
  * @param path
  *   the table's folder
  * @param id
  *   the id in the table's metadata
  * @param version
  *   the version that the plan reads
  * @param isPinned
  *   whether the plan reads this version whenever it runs
  */
private[rewrite] final case class DeltaRelation(
    relation: LogicalRelation,
    files: HadoopFsRelation,
    path: String,
    id: String,
    version: Long,
    isPinned: Boolean
) {

  /** The same columns, read from another relation of the table. */
  def reading(other: DeltaRelation): LogicalRelation = relation.copy(relation = other.files)

  def hasColumnsOf(other: DeltaRelation): Boolean = columns == other.columns

  private def columns = files.schema.fields.toSeq.map(f => f.name -> f.dataType.sql)
}

/** Reads what a plan says about a Delta table. Delta is not on our class path when we compile, so this goes by the names of its methods. */
private[rewrite] object DeltaRelation {
  private val Index = "org.apache.spark.sql.delta.files.TahoeLogFileIndex"
  private val Prepared = "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex"

  /** The table that a relation reads, or None for all else. */
  def of(plan: LogicalPlan): Option[DeltaRelation] = plan match {
    case relation: LogicalRelation if !relation.isStreaming =>
      relation.relation match {
        case files: HadoopFsRelation => Try(of(relation, files, files.location)).toOption.flatten
        case _ => None
      }
    case _ => None
  }

  /** Whether a relation may be of a Delta table. This reads nothing. */
  def isDelta(plan: LogicalPlan): Boolean = plan match {
    case relation: LogicalRelation => relation.relation match {
        case files: HadoopFsRelation => Set(Index, Prepared)(files.location.getClass.getName)
        case _ => false
      }
    case _ => false
  }

  /** The only Delta table that a plan reads. */
  def onlyOneIn(plan: LogicalPlan): Option[DeltaRelation] = {
    val all = plan.collectLeaves()
    Option.when(all.size == 1)(all.head).flatMap(of)
  }

  private def of(
      relation: LogicalRelation,
      files: HadoopFsRelation,
      index: FileIndex
  ): Option[DeltaRelation] =
    index.getClass.getName match {
      case Index =>
        val isPinned = get(index, "isTimeTravelQuery").asInstanceOf[Boolean]
        // a path to some partitions of a table has filters
        val isWhole = get(index, "partitionFilters").asInstanceOf[Seq[_]].isEmpty
        Option.when(isWhole)(described(relation, files, index, get(index, "getSnapshot"), isPinned))
      // an index whose files Delta has chosen no longer tells whether its path was that of some partitions
      case Prepared if relation.catalogTable.isDefined =>
        Some(described(relation, files, index, index, isPinned = true))
      case _ => None
    }

  private def described(
      relation: LogicalRelation,
      files: HadoopFsRelation,
      index: FileIndex,
      snapshot: AnyRef,
      isPinned: Boolean
  ) =
    DeltaRelation(
      relation,
      files,
      get(index, "dataPath").toString,
      get(get(snapshot, "metadata"), "id").toString,
      get(snapshot, "version").asInstanceOf[Long],
      isPinned
    )

  private def get(from: AnyRef, method: String): AnyRef = from.getClass.getMethod(method).invoke(from)

  /** Whether this thread is in a transaction of Delta, which has to see each read of a table. */
  def isInTransaction: Boolean =
    try {
      val companion = Class.forName(
        "org.apache.spark.sql.delta.OptimisticTransaction$",
        true,
        Thread.currentThread.getContextClassLoader
      )
      get(companion.getField("MODULE$").get(null), "getActive").asInstanceOf[Option[_]].nonEmpty
    } catch { case _: ReflectiveOperationException => true }
}
