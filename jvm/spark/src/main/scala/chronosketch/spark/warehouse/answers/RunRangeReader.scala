package chronosketch.spark.warehouse.answers

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.{EntryFolders, KeyReader, ReadCount, SharedFolders}

/** Reads the ranges of a pass: few ranges in this thread, many by Spark jobs, which executors share and users can watch and cancel.
  *
  * Cost  the driver collects what a job reads: at most 4000 keys per range
  */
private[answers] final class RunRangeReader(
    session: SparkSession,
    folders: EntryFolders,
    columns: StructType
) extends AutoCloseable {
  private val localReader = new KeyReader(folders, columns, None)
  private lazy val shared = folders.shared(session)

  /** The rows and bytes read so far. */
  val count: ReadCount = localReader.count

  /** Reads the keys of distinct ranges. `text` describes the purpose in the names of Spark jobs. */
  def read(ranges: Seq[RunRange], text: String): Map[RunRange, Array[Long]] = {
    val inOrder = ranges.sortBy(range => (range.run.id, range.from))
    if (ranges.size <= RunRangeReader.MaxLocal) inOrder.map(range => range -> readLocally(range)).toMap
    else
      JobDescription.during(text) {
        inOrder.grouped(RunRangeReader.MaxInJob).flatMap(batch => batch.zip(readByJob(batch))).toMap
      }
  }

  private def readLocally(range: RunRange): Array[Long] = {
    // cancelling a query interrupts its thread
    if (Thread.interrupted()) throw new InterruptedException("The query was cancelled.")
    localReader.read(range.run, range.from, range.until)
  }

  private def readByJob(ranges: Seq[RunRange]): Seq[Array[Long]] = {
    val context = session.sparkContext
    val tasks = math.min(ranges.size / RunRangeReader.MinInTask, 4 * context.defaultParallelism)
    val read = context.runJob(context.parallelize(ranges, tasks), RunRangeReader.task(shared, columns))
    read.foreach { case (_, rows, bytes) =>
      count.addRows(rows)
      count.addBytes(bytes)
    }
    read.toSeq.flatMap(_._1)
  }

  def close(): Unit = localReader.close()
}

private object RunRangeReader {

  /** The maximal number of ranges read in this thread, which takes less time than starting a job. */
  private val MaxLocal = 128

  /** The minimal number of ranges that a task reads. */
  private val MinInTask = 4

  /** The maximal number of ranges per job: 128 MB of keys at most. */
  private val MaxInJob = 4096

  /** Returns the function of a task: it reads the keys of ranges, and returns them with the rows and bytes read. */
  private def task(
      folders: SharedFolders,
      columns: StructType
  ): (TaskContext, Iterator[RunRange]) => (Array[Array[Long]], Long, Long) = (task, ranges) => {
    val reader = new KeyReader(folders.local, columns, Some(task))
    // Spark's iterator ends a cancelled task between two ranges
    try {
      val keys = ranges.map(range => reader.read(range.run, range.from, range.until)).toArray
      (keys, reader.count.rows, reader.count.bytes)
    } finally reader.close()
  }
}

/** A range of rows of a run to read, counted from 0. */
private[answers] final case class RunRange(run: Run, from: Long, until: Long) {
  // compare runs by id only, which is unique
  override def hashCode: Int = (run.id, from, until).hashCode
  override def equals(other: Any): Boolean = other match {
    case that: RunRange => run.id == that.run.id && from == that.from && until == that.until
    case _ => false
  }
}
