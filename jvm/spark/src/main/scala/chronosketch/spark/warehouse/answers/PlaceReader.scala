package chronosketch.spark.warehouse.answers

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.runs.{KeyReader, ReadCount, RunFolders, SharedFolders}

/** Reads the places of a pass: few places in this thread, many by Spark jobs, which executors share and users can watch and cancel.
  *
  * Cost  the driver collects what a job reads: at most 4000 keys per place
  */
private[answers] final class PlaceReader(
    session: SparkSession,
    folders: RunFolders,
    columns: StructType
) extends AutoCloseable {
  private val localReader = new KeyReader(folders, columns)
  private lazy val shared = folders.shared(session)

  /** The rows and bytes read so far. */
  val count: ReadCount = localReader.count

  /** Reads the keys of distinct places. `text` describes the purpose in the names of Spark jobs. */
  def read(places: Seq[Place], text: String): Map[Place, Array[Long]] = {
    val inOrder = places.sortBy(p => (p.run.id, p.from))
    if (places.size <= PlaceReader.MostHere) inOrder.map(p => p -> readLocally(p)).toMap
    else
      JobDescription.during(text) {
        inOrder.grouped(PlaceReader.MostInJob).flatMap(batch => batch.zip(readByJob(batch))).toMap
      }
  }

  private def readLocally(place: Place): Array[Long] = {
    // cancelling a query interrupts its thread
    if (Thread.interrupted()) throw new InterruptedException("The query was cancelled.")
    localReader.read(place.run, place.from, place.until)
  }

  private def readByJob(places: Seq[Place]): Seq[Array[Long]] = {
    val context = session.sparkContext
    val tasks = math.min(places.size / PlaceReader.LeastInTask, 4 * context.defaultParallelism)
    val read = context.runJob(context.parallelize(places, tasks), PlaceReader.task(shared, columns))
    read.foreach { case (_, rows, bytes) =>
      count.addRows(rows)
      count.addBytes(bytes)
    }
    read.toSeq.flatMap(_._1)
  }

  def close(): Unit = localReader.close()
}

private object PlaceReader {

  /** The maximal number of places read in this thread, which takes less time than starting a job. */
  private val MostHere = 128
  private val LeastInTask = 4

  /** The maximal number of places per job: 128 MB of keys at most. */
  private val MostInJob = 4096

  /** Returns the function of a task: it reads the keys of places, and returns them with the rows and bytes read. */
  private def task(
      folders: SharedFolders,
      columns: StructType
  ): (TaskContext, Iterator[Place]) => (Array[Array[Long]], Long, Long) = (_, places) => {
    val reader = new KeyReader(folders.here, columns)
    // Spark's iterator ends a cancelled task between two places
    try {
      val keys = places.map(p => reader.read(p.run, p.from, p.until)).toArray
      (keys, reader.count.rows, reader.count.bytes)
    } finally reader.close()
  }
}
