package chronosketch.spark.warehouse.runs

import java.io.FileNotFoundException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import chronosketch.spark.warehouse.manifest.{Damaged, Line, LineFile}

/** Where the files of runs and live batches are: each has a folder. */
private[warehouse] final class RunFolders(val warehouse: Path, val conf: Configuration) {
  private val fs = warehouse.getFileSystem(conf)
  private val runs = new Path(warehouse, "runs")

  def of(id: String): Path = new Path(runs, id)

  def rowsOf(line: Line): Seq[Path] = line.files.map(file => new Path(of(line.id), file.name))

  /** The file of summaries that the manifest names. */
  def summaryOf(line: Line): Option[Path] = line.summary.map(file => new Path(summaries(line.id), file.name))

  /** A file for summaries of a line that has none yet, or others. */
  def newSummary(id: String): Path = new Path(summaries(id), s"groups-${UUID.randomUUID()}.zstd.parquet")

  /** Spark passes over names that begin with `_` where it is given the folder. */
  private def summaries(id: String): Path = new Path(of(id), "_summary")

  /** Refuses a file that is not what the manifest says. */
  def require(path: Path, file: LineFile): Unit = {
    def damaged(why: String): Nothing = throw Damaged(s"the file $path $why")
    val length =
      try fs.getFileStatus(path).getLen
      catch { case _: FileNotFoundException => damaged("is not there") }
    if (length != file.bytes) damaged(s"has $length bytes, but should have ${file.bytes}")
  }

  /** The folders that are there, and when something last came into each. */
  def all: Seq[(String, Long)] =
    try fs.listStatus(runs).toSeq.filter(_.isDirectory).map(f => f.getPath.getName -> newest(f.getPath))
    catch { case _: FileNotFoundException => Nil }

  private def newest(folder: Path): Long = {
    val inside = fs.listStatus(folder).toSeq
    (fs.getFileStatus(folder).getModificationTime +: inside.map(_.getModificationTime)).max
  }

  /** The same folders for tasks of Spark. */
  def shared(session: SparkSession): SharedFolders =
    new SharedFolders(warehouse, session.sparkContext.broadcast(new SerializableConfiguration(conf)))

  def delete(id: String): Unit = { fs.delete(of(id), true); () }

  /** Deletes the files of a line that are older than a time and that none of its states names; those that are gone. */
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

/** The folders of a warehouse as they travel to tasks. */
private[warehouse] final class SharedFolders(
    warehouse: Path,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  def here: RunFolders = new RunFolders(warehouse, conf.value.value)
}
