package chronosketch.spark.following

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions.{broadcast, col, lit, udf, when}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** An Iceberg table's main branch as a source of changes.
  *
  * A snapshot's id is random, and old snapshots expire. So versions are counted from the last version that was read, which is recognised by
  * its snapshot id. A new follower counts from the oldest snapshot that still exists.
  */
private[following] final class IcebergSource(
    val name: String,
    session: SparkSession,
    last: Option[LastVersion]
) extends VersionedTable {
  import IcebergSource._

  private val chain = SnapshotChain.read(session, name)

  private val continued: Option[LastVersion] = last.filter(chain.continues)

  private val oldest: Long = continued.fold(0L)(chain.oldestNumber)

  /** The number of the newest snapshot. */
  val latest: Long = oldest + chain.links.size - 1

  /** The id of the newest snapshot, which no other table has. */
  val identity: String = chain.links.lastOption.fold("")(_.id.toString)

  def replaced(last: LastVersion): Option[String] = Option.unless(chain.continues(last))(
    s"version ${last.version} was snapshot ${last.identity}, and its newest snapshot does not come after that. It was rolled " +
      "back, or dropped and made again."
  )

  /** Iceberg does not record the changes between two chains. */
  def hasChangesSince(last: LastVersion): Boolean = false

  def firstKnown(latest: Long, fits: DataFrame => Boolean): Long =
    ChangeSource.firstComplete(oldest, latest)(version =>
      ChangeSource.isComplete(snapshot(version), changes(version + 1, latest))(fits)
    )

  /** The version's position among the snapshots that still exist. */
  override def startNumber(version: Long): Long = version - oldest

  /** Iceberg keeps the changes of every snapshot. */
  def requireChanges(): Unit = ()

  def times(first: Long, last: Long): Seq[Long] = (first to last).map(link(_).micros)

  /** Snapshots that only compact files have no changes. */
  def changes(first: Long, last: Long): DataFrame = {
    ReadErrors.refuseToSkipFiles(session, name)
    val links = (first to last).map(link)
    if (links.exists(_.hasDeletes)) compared(first, last)
    else {
      val options = links.head.parent.foldLeft(session.read.option("end-snapshot-id", links.last.id))(
        (reader, id) => reader.option("start-snapshot-id", id)
      )
      val changes = options.table(s"$name.changes")
      // changes have the table's current columns, a snapshot those of its time
      refuseOtherColumns(snapshot(last), changes, last)
      // number the changes by snapshot: Iceberg's own ordinals skip snapshots that only compact files
      val numbers = links.map(_.id).zip(first to last).map { case (id, version) => Row(id, version) }
      val numbered = session.createDataFrame(numbers.asJava, Numbers)
      // Iceberg 1.12 mixes up columns unless all three are selected. The optimizer can't remove the condition and the columns it reads.
      val all = changes.where(readingAll(col(Ordinal), col(Kind), col(Snapshot)))
      val copies = when(col(Kind) === "DELETE", -1L).otherwise(1L)
      // a left join, because for an inner one the scan filters out NULL ids, which fails in Iceberg 1.12
      all.join(broadcast(numbered), Seq(Snapshot), "left").withColumn(ChangeSource.Copies, copies)
        .drop(Ordinal, Kind, Snapshot)
    }
  }

  /** Compares whole snapshots, because Iceberg 1.12 returns no changes for delete files. */
  private def compared(first: Long, last: Long): DataFrame = {
    val images = (first to last).filterNot(link(_).compacts).flatMap { version =>
      val (before, after) = (snapshot(version - 1), snapshot(version))
      refuseOtherColumns(before, after, version)
      Seq(signed(before, version, -1), signed(after, version, 1))
    }
    images.reduceOption((a, b) => a.unionByName(b, allowMissingColumns = true))
      .getOrElse(signed(snapshot(last).limit(0), last, 0))
  }

  private def signed(rows: DataFrame, version: Long, copies: Long): DataFrame =
    rows.withColumn(ChangeSource.Version, lit(version)).withColumn(ChangeSource.Copies, lit(copies))

  private def refuseOtherColumns(before: DataFrame, after: DataFrame, version: Long): Unit = {
    val lost = before.dtypes.filterNot(after.dtypes.contains).map(_._1)
    if (lost.nonEmpty)
      throw ReadErrors.refusal(
        ReadErrors.SchemaChanged,
        name,
        s"${lost.mkString(", ")} at or after version $version."
      )
  }

  def snapshot(version: Long): DataFrame = {
    ReadErrors.refuseToSkipFiles(session, name)
    session.read.option("versionAsOf", link(version).id).table(name)
  }

  private def link(version: Long): Link =
    if (version < oldest || version > latest)
      throw ReadErrors.refusal(
        ReadErrors.LogGone,
        name,
        s"it has no snapshot of version $version. Snapshots of the versions $oldest to $latest are left."
      )
    else chain.links((version - oldest).toInt)
}

private object IcebergSource {
  private val Snapshot = "_commit_snapshot_id"
  private val Ordinal = "_change_ordinal"
  private val Kind = "_change_type"

  /** A condition that always holds. */
  private val readingAll = udf((_: Int, _: String, _: Long) => true)

  private val Numbers = new StructType().add(Snapshot, LongType).add(ChangeSource.Version, LongType)
}
