package chronosketch.spark.warehouse.runs

import java.util.{LinkedHashMap => OrderedMap, Map => JavaMap}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.{EntryFile, ManifestEntry}
import chronosketch.warehouse.DamagedWarehouse

/** Reads and writes the summaries of runs and live batches: a file per entry, with a row per group. Any reader understands such a file as a
  * table of quantile sketches.
  *
  * Cost  a job for the entries whose summaries this driver has neither read nor written lately
  */
private[warehouse] final class EntrySummaries(session: SparkSession, folders: EntryFolders) {
  import EntrySummaries._

  /** Returns the groups of each entry, by its id, in the order of their rows. `by` are the columns of groups. */
  def read(entries: Seq[ManifestEntry], by: StructType): Map[String, Seq[GroupSummary]] = {
    val needed = entries.filter(_.rows > 0)
    val cached = needed.flatMap(entry => SummaryCache.get(entry).map(entry.id -> _)).toMap
    val others = needed.filterNot(entry => cached.contains(entry.id))
    val read = JobDescription.during(s"${others.size} summaries")(readFiles(others, by))
    others.foreach(entry => entry.summary.foreach(SummaryCache.put(entry.id, _, read(entry.id))))
    cached ++ read
  }

  /** Writes a new file with the summaries of an entry, which may already have others. `schema` has the columns of `by` and then the value. */
  def write(id: String, schema: StructType, groups: Seq[GroupSummary]): EntryFile = {
    val path = folders.newSummaryFile(id)
    val files = RowFiles(session, StructType(schema.init ++ Columns))
    val file = files.create(path)
    val row = new JoinedRow
    try groups.foreach { g =>
        file.write(row(g.by, InternalRow(UTF8String.fromString(id), g.firstRow, g.rows, g.sketch)))
      }
    finally file.close()
    val written = EntryFile(path.getName, groups.size.toLong, files.length(path))
    SummaryCache.put(id, written, groups)
    written
  }

  /** Reads the groups of entries in one job. */
  private def readFiles(entries: Seq[ManifestEntry], by: StructType): Map[String, Seq[GroupSummary]] = {
    val files = entries.flatMap(entry => folders.summaryFile(entry).zip(entry.summary))
    files.foreach { case (path, file) => folders.requireFile(path, file) }
    val groupOf = Groups.projection(by)
    val groups = rowsOf(files.map(_._1), by).map { row =>
      val at = by.length
      row.getUTF8String(at).toString ->
        GroupSummary(groupOf(row).copy(), row.getLong(at + 1), row.getLong(at + 2), row.getBinary(at + 3))
    }.groupMap(_._1)(_._2)
    entries.map(entry =>
      entry.id -> complete(entry, groups.getOrElse(entry.id, Nil).sortBy(_.firstRow))
    ).toMap
  }

  private def rowsOf(files: Seq[Path], by: StructType): Seq[InternalRow] =
    if (files.isEmpty) Nil
    else
      session.read.schema(StructType(by ++ Columns)).parquet(files.map(_.toString): _*)
        .asInstanceOf[classic.DataFrame].queryExecution.executedPlan.executeCollect().toSeq

  /** Refuses groups that do not cover all rows of the entry without gaps. */
  private def complete(entry: ManifestEntry, groups: Seq[GroupSummary]): Seq[GroupSummary] = {
    val ends = groups.scanLeft(0L)(_ + _.rows)
    if (ends.last != entry.rows || groups.map(_.firstRow) != ends.init)
      throw DamagedWarehouse(s"the summary of ${entry.id} does not describe its ${entry.rows} rows")
    groups
  }
}

private[warehouse] object EntrySummaries {

  /** The columns after those of `by`. */
  val Columns: Seq[StructField] = Seq(
    StructField("run", StringType, nullable = false),
    StructField("first_row", LongType, nullable = false),
    StructField("rows", LongType, nullable = false),
    StructField("sketch", BinaryType, nullable = false)
  )
}

/** Caches the summaries that this driver has read or written. They never become stale, because summary files never change.
  *
  * Cost  up to [[SummaryCache.MaxBytes]]; the least recently used ones are evicted first
  */
private[runs] object SummaryCache {
  private val MaxBytes = 256L << 20

  private val cache = new OrderedMap[String, Seq[GroupSummary]](64, 0.75f, true)
  private var bytes = 0L

  def get(entry: ManifestEntry): Option[Seq[GroupSummary]] =
    entry.summary.flatMap(file => synchronized(Option(cache.get(key(entry.id, file)))))

  def put(id: String, file: EntryFile, groups: Seq[GroupSummary]): Unit = synchronized {
    bytes -= Option(cache.put(key(id, file), groups)).fold(0L)(size)
    bytes += size(groups)
    val oldest = cache.entrySet().iterator()
    while (bytes > MaxBytes && oldest.hasNext) evict(oldest.next())(oldest.remove())
  }

  // contains the file's name, because an entry may get other summaries
  private def key(id: String, file: EntryFile): String = s"$id/${file.name}"

  private def evict(cached: JavaMap.Entry[String, Seq[GroupSummary]])(remove: => Unit): Unit = {
    bytes -= size(cached.getValue)
    remove
  }

  private def size(groups: Seq[GroupSummary]): Long = SketchFitting.memoryOf(groups.iterator.map(_.sketch))
}
