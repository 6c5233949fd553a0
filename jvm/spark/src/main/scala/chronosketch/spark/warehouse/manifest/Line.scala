package chronosketch.spark.warehouse.manifest

/** An entry of the manifest: stored rows, in files of their own folder, which never change. */
private[spark] sealed abstract class Line {

  /** The name of its folder. */
  def id: String

  /** How many times the rows have been merged. */
  def level: Int

  /** The number of rows that were left out because their value is NULL. */
  def nulls: Long

  /** The least and greatest key; empty if there are no rows. */
  def range: Option[(Long, Long)]
  def files: Seq[LineFile]

  /** The file with the summaries of the groups; empty if there are no rows. */
  def summary: Option[LineFile]

  final lazy val rows: Long = files.map(_.rows).sum
  final lazy val bytes: Long = files.map(_.bytes).sum
}

/** A file of an entry: its name in the entry's folder, its rows and its length in bytes. */
private[spark] final case class LineFile(name: String, rows: Long, bytes: Long)

/** A sorted run: the rows of one step or of several consecutive ones.
  *
  * @param firstStep the first of its steps; `lastStep` is the last
  * @param steps     how many steps it has: step numbers may have gaps
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

/** A batch of the open step: the rows of a stream in the order of arrival, unsorted, with a sketch per group. */
private[spark] final case class Live(
    id: String,
    level: Int,
    nulls: Long,
    range: Option[(Long, Long)],
    files: Seq[LineFile],
    summary: Option[LineFile]
) extends Line
