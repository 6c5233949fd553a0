package chronosketch.spark.warehouse.manifest

/** A file of a run: its name in the run's folder, its rows and its length. */
private[spark] final case class RunFile(name: String, rows: Long, bytes: Long)

/** A sorted run of one step or of several that follow one another.
  *
  * @param id        the name of its folder
  * @param level     how many times its rows have been merged
  * @param firstStep of its steps the first, and `lastStep` the last
  * @param steps     how many there are: steps may be left out
  * @param nulls     rows that were not taken, because their value is NULL
  * @param range     the least and the greatest key; none where there are no rows
  * @param files     in the order of their rows
  * @param summary   the file with the summaries; none where there are no rows
  */
private[spark] final case class Run(
    id: String,
    level: Int,
    firstStep: Long,
    lastStep: Long,
    steps: Long,
    nulls: Long,
    range: Option[(Long, Long)],
    files: Seq[RunFile],
    summary: Option[RunFile]
) {
  val rows: Long = files.map(_.rows).sum
  val bytes: Long = files.map(_.bytes).sum
}

/** The last batch that a writer has had taken, and the step that it is: its repetition is recognised. */
private[spark] final case class Written(writer: String, batch: Long, step: Long)
