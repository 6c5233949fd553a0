package chronosketch.spark.warehouse.manifest

/** An entry of the manifest: rows in a folder of their own, whose files never change. */
private[spark] sealed abstract class ManifestEntry {

  /** The name of its folder. */
  def id: String

  /** How many times the rows have been merged. */
  def level: Int

  /** The number of rows that were left out because their value is NULL. */
  def nulls: Long

  /** The least and greatest key; empty if there are no rows. */
  def keyRange: Option[(Long, Long)]
  def files: Seq[EntryFile]

  /** The file with the summaries of the groups; empty if there are no rows. */
  def summary: Option[EntryFile]

  final lazy val rows: Long = files.map(_.rows).sum
  final lazy val bytes: Long = files.map(_.bytes).sum
}

/** A file of an entry: its name in the entry's folder, its rows and its length in bytes. */
private[spark] final case class EntryFile(name: String, rows: Long, bytes: Long)

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
    keyRange: Option[(Long, Long)],
    files: Seq[EntryFile],
    summary: Option[EntryFile]
) extends ManifestEntry

/** A batch of the open step: the rows of a stream in the order of arrival, unsorted, with a sketch per group. */
private[spark] final case class LiveBatch(
    id: String,
    level: Int,
    nulls: Long,
    keyRange: Option[(Long, Long)],
    files: Seq[EntryFile],
    summary: Option[EntryFile]
) extends ManifestEntry

/** The step that streams currently write to. When it ends, it gets its number, and one run replaces its live batches.
  *
  * @param id    unique
  * @param until when it ends, in milliseconds since 1970; empty if it is ended by hand
  * @param live  its batches, oldest first; at least one
  */
private[spark] final case class OpenStep(id: String, until: Option[Long], live: IndexedSeq[LiveBatch]) {

  /** `until` in microseconds, the unit of Spark's timestamps. */
  def untilMicros: Option[Long] = until.map(Math.multiplyExact(_, 1000L))

  def isOver(now: Long): Boolean = until.exists(_ <= now)
}
