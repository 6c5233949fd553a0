package chronosketch.spark.warehouse.answers

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sql.JobDescription
import chronosketch.spark.warehouse.runs.{KeyReader, ReadCount, RunFolders, SharedFolders}

/** Reads what the searches of a pass ask: a few places in this thread, many by jobs of Spark, which executors share, and which can be
  * watched and cancelled.
  *
  * Cost  what a job reads is gathered in the driver: at most 4000 keys a place
  */
private[answers] final class PlaceReader(
    session: SparkSession,
    folders: RunFolders,
    columns: StructType
) extends AutoCloseable {
  private val here = new KeyReader(folders, columns)
  private lazy val shared = folders.shared(session)

  /** What has been read so far. */
  val count: ReadCount = here.count

  /** The keys of different places; `text` says what for. */
  def read(places: Seq[Place], text: String): Map[Place, Array[Long]] = {
    val inOrder = places.sortBy(p => (p.run.id, p.from))
    if (places.size <= PlaceReader.MostHere) inOrder.map(p => p -> readHere(p)).toMap
    else
      JobDescription.during(text) {
        inOrder.grouped(PlaceReader.MostInJob).flatMap(some => some.zip(readByJob(some))).toMap
      }
  }

  private def readHere(place: Place): Array[Long] = {
    // whoever cancels a query interrupts its thread
    if (Thread.interrupted()) throw new InterruptedException("The query was cancelled.")
    here.read(place.run, place.from, place.until)
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

  def close(): Unit = here.close()
}

private object PlaceReader {

  /** What is read here takes less time than a job does to start. */
  private val MostHere = 128
  private val LeastInTask = 4

  /** 128 MB of keys at most. */
  private val MostInJob = 4096

  /** The keys of the places of a task, the rows and the bytes that it read. */
  private def task(
      folders: SharedFolders,
      columns: StructType
  ): (TaskContext, Iterator[Place]) => (Array[Array[Long]], Long, Long) = (_, places) => {
    val reader = new KeyReader(folders.here, columns)
    // the iterator ends a task that is cancelled
    try {
      val keys = places.map(p => reader.read(p.run, p.from, p.until)).toArray
      (keys, reader.count.rows, reader.count.bytes)
    } finally reader.close()
  }
}
