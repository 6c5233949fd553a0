package chronosketch.spark.warehouse.manifest

/** A line of the manifest: rows that were taken, in files of a folder of their own, which never change. */
private[spark] sealed abstract class Line {

  /** The name of its folder. */
  def id: String

  /** How many times its rows have been merged. */
  def level: Int

  /** Rows that were not taken, because their value is NULL. */
  def nulls: Long

  /** The least and the greatest key; none where there are no rows. */
  def range: Option[(Long, Long)]
  def files: Seq[LineFile]

  /** The file with the summaries of its groups; none where there are no rows. */
  def summary: Option[LineFile]

  final lazy val rows: Long = files.map(_.rows).sum
  final lazy val bytes: Long = files.map(_.bytes).sum
}

/** A file of a line: its name in the line's folder, its rows and its length. */
private[spark] final case class LineFile(name: String, rows: Long, bytes: Long)

/** A sorted run of one step or of several that follow one another.
  *
  * @param firstStep of its steps the first, and `lastStep` the last
  * @param steps     how many there are: steps may be left out
  * @param files     in the order of their rows
  */
private[spark] final case class Run(
    id: String,
    level: Int,
    firstStep: Long,
    lastStep: Long,
    steps: Long,
    nulls: Long,
    range: Option[(Long, Long)],
    files: Seq[LineFile],
    summary: Option[LineFile]
) extends Line

/** Rows of the step that is open, as they came from a stream: not sorted, with a sketch a group. */
private[spark] final case class Live(
    id: String,
    level: Int,
    nulls: Long,
    range: Option[(Long, Long)],
    files: Seq[LineFile],
    summary: Option[LineFile]
) extends Line
