package chronosketch.spark.following

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

  /** Settings belong to the session, so threads take turns. */
  private def during(session: SparkSession, settings: Seq[(String, String)])(write: => Unit): Unit =
    synchronized {
      val before = settings.map { case (key, _) => key -> session.conf.getAll.get(key) }
      settings.foreach { case (key, value) => session.conf.set(key, value) }
      try write
      finally before.foreach { case (key, value) =>
          value.fold(session.conf.unset(key))(session.conf.set(key, _))
        }
    }
}
