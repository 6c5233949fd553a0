package chronosketch.spark.following

import java.util.WeakHashMap

import scala.collection.mutable

import org.apache.spark.sql.{DataFrameWriter, Row, SparkSession}

/** Writes a step into a Delta table in one commit.
  *
  * Delta skips a transaction number that it has recorded, so of two followers that make the same step only one writes.
  *
  * @param application
  *   the name under which Delta records the transaction numbers
  * @param number
  *   the transaction number
  * @param note
  *   the step as text, which the commit keeps as its `userMetadata`
  */
private[spark] final case class DeltaCommit(application: String, number: Long, note: String) {

  /** Writes rows.
    *
    * @param settings
    *   settings of the session during the write, for what is no option of it
    */
  def write(
      session: SparkSession,
      table: String,
      rows: DataFrameWriter[Row],
      settings: (String, String)*
  ): Unit = {
    val writer = rows.format("delta").option("txnAppId", application).option("txnVersion", number.toString)
      .option("userMetadata", note)
    // Written by path: saveAsTable would replace the table and lose its properties and partitioning.
    val location = Sources.location(session, table)
    DeltaCommit.during(session, settings)(writer.save(location))
  }
}

private[spark] object DeltaCommit {

  /** A setting that writes of a session need: how many are under way, and what it was before the first of them. */
  private final class Held(val before: Option[String]) { var writes = 0 }

  private val held = new WeakHashMap[SparkSession, mutable.Map[String, Held]]

  /** Changes settings while something is written. They belong to the session, whose threads may write at the same time, so the last write
    * that ends restores them. All writes that need a setting need the same value.
    */
  private def during(session: SparkSession, settings: Seq[(String, String)])(write: => Unit): Unit = {
    settings.foreach { case (key, value) => hold(session, key, value) }
    try write
    finally settings.foreach { case (key, _) => release(session, key) }
  }

  private def hold(session: SparkSession, key: String, value: String): Unit = synchronized {
    val setting = held.computeIfAbsent(session, _ => mutable.Map.empty)
      .getOrElseUpdate(key, new Held(session.conf.getAll.get(key)))
    if (setting.writes == 0) session.conf.set(key, value)
    setting.writes += 1
  }

  private def release(session: SparkSession, key: String): Unit = synchronized {
    val settings = held.get(session)
    val setting = settings(key)
    setting.writes -= 1
    if (setting.writes == 0) {
      settings -= key
      setting.before.fold(session.conf.unset(key))(session.conf.set(key, _))
    }
  }
}
