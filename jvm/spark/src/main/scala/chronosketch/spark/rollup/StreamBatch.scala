package chronosketch.spark.rollup

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.lit

import chronosketch.spark.following.{ChangeSource, LastVersion}

/** A batch of a stream as a source of changes: all its rows are new. Its version is its number, and the stream's id is the identity.
  *
  * @param query
  *   the id of the streaming query, which its checkpoint keeps
  * @param number
  *   the number of the batch, from 0
  */
private[rollup] final class StreamBatch(val rows: DataFrame, val query: String, val number: Long)
    extends ChangeSource {
  override val name: String = StreamBatch.nameOf(query)
  override val latest: Long = number
  override def identity: String = query
  override def replaced(last: LastVersion): Option[String] = None
  override def requireChanges(): Unit = ()

  /** A batch has no commit. */
  override def time(version: Long): Long = StreamBatch.NoTime

  override def changes(first: Long, last: Long): DataFrame =
    rows.withColumn(ChangeSource.Version, lit(number)).withColumn(ChangeSource.Copies, lit(1L))

  /** Only batches with removals would need the rows that came before. */
  override def snapshot(version: Long): DataFrame =
    throw new UnsupportedOperationException(s"$name keeps no rows")
}

private[rollup] object StreamBatch {

  /** The time of a roll-up that has had no row with a time. */
  val NoTime: Long = Long.MinValue

  def nameOf(query: String): String = s"stream $query"
}
