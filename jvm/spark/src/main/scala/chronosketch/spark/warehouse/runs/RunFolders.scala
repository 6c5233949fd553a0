package chronosketch.spark.warehouse.runs

import java.io.FileNotFoundException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import chronosketch.spark.warehouse.manifest.{Damaged, Line, LineFile}

/** The folders of runs and live batches, one for each. */
private[warehouse] final class RunFolders(val warehouse: Path, val conf: Configuration) {
  private val fs = warehouse.getFileSystem(conf)
  private val runs = new Path(warehouse, "runs")

  def of(id: String): Path = new Path(runs, id)

  def rowsOf(line: Line): Seq[Path] = line.files.map(file => new Path(of(line.id), file.name))

  /** The file of summaries that the manifest names. */
  def summaryOf(line: Line): Option[Path] = line.summary.map(file => new Path(summaries(line.id), file.name))

  /** A new file for the summaries of an entry, which may already have others. */
  def newSummary(id: String): Path = new Path(summaries(id), s"groups-${UUID.randomUUID()}.zstd.parquet")

  /** The folder of summaries. Its name begins with `_`, so that Spark ignores it when it reads the entry's folder. */
  private def summaries(id: String): Path = new Path(of(id), "_summary")

  /** Refuses a file that is missing or whose length differs from that in the manifest. */
  def require(path: Path, file: LineFile): Unit = {
    def damaged(why: String): Nothing = throw Damaged(s"the file $path $why")
    val length =
      try fs.getFileStatus(path).getLen
      catch { case _: FileNotFoundException => damaged("is not there") }
    if (length != file.bytes) damaged(s"has $length bytes, but should have ${file.bytes}")
  }

  /** All folders, with the time of the last change in each. */
  def all: Seq[(String, Long)] =
    try fs.listStatus(runs).toSeq.filter(_.isDirectory).map(f => f.getPath.getName -> newest(f.getPath))
    catch { case _: FileNotFoundException => Nil }

  private def newest(folder: Path): Long = {
    val inside = fs.listStatus(folder).toSeq
    (fs.getFileStatus(folder).getModificationTime +: inside.map(_.getModificationTime)).max
  }

  /** The folders in a form that can be sent to Spark's tasks. */
  def shared(session: SparkSession): SharedFolders =
    new SharedFolders(warehouse, session.sparkContext.broadcast(new SerializableConfiguration(conf)))

  def delete(id: String): Unit = { fs.delete(of(id), true); () }

  /** Deletes the files of an entry that are older than a time and that none of its states names. Returns their paths. */
  def deleteUnnamed(states: Seq[Line], horizon: Long): Seq[String] = {
    val id = states.head.id
    val named = states.flatMap(line => line.files ++ line.summary).map(_.name).toSet
    for {
      folder <- Seq(of(id), summaries(id))
      file <- filesIn(folder) if file.getModificationTime < horizon && !named(file.getPath.getName)
    } yield {
      fs.delete(file.getPath, false)
      file.getPath.toString
    }
  }

  private def filesIn(folder: Path): Seq[FileStatus] =
    try fs.listStatus(folder).toSeq.filter(_.isFile)
    catch { case _: FileNotFoundException => Nil }
}

/** The folders of a warehouse in a form that can be sent to tasks. */
private[warehouse] final class SharedFolders(
    warehouse: Path,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  def here: RunFolders = new RunFolders(warehouse, conf.value.value)
}
