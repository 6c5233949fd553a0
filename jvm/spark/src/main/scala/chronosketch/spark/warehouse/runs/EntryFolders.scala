package chronosketch.spark.warehouse.runs

import java.io.FileNotFoundException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.util.SerializableConfiguration

import chronosketch.spark.warehouse.manifest.{EntryFile, ManifestEntry}
import chronosketch.warehouse.DamagedWarehouse

/** The folders of runs and live batches, one for each. */
private[warehouse] final class EntryFolders(val warehouse: Path, val conf: Configuration) {
  private val fs = warehouse.getFileSystem(conf)
  private val runs = new Path(warehouse, "runs")

  def folder(id: String): Path = new Path(runs, id)

  def rowFiles(entry: ManifestEntry): Seq[Path] =
    entry.files.map(file => new Path(folder(entry.id), file.name))

  /** The file of summaries that the manifest names. */
  def summaryFile(entry: ManifestEntry): Option[Path] =
    entry.summary.map(file => new Path(summaryFolder(entry.id), file.name))

  /** A new file for the summaries of an entry, which may already have others. */
  def newSummaryFile(id: String): Path =
    new Path(summaryFolder(id), s"groups-${UUID.randomUUID()}.zstd.parquet")

  /** The folder of summaries. Its name begins with `_`, so that Spark ignores it when it reads the entry's folder. */
  private def summaryFolder(id: String): Path = new Path(folder(id), "_summary")

  /** Refuses a file that is missing or whose length differs from that in the manifest. */
  def requireFile(path: Path, file: EntryFile): Unit = {
    def damaged(why: String): Nothing = throw DamagedWarehouse(s"the file $path $why")
    val length =
      try fs.getFileStatus(path).getLen
      catch { case _: FileNotFoundException => damaged("is not there") }
    if (length != file.bytes) damaged(s"has $length bytes, but should have ${file.bytes}")
  }

  /** The id of each folder, with the time of the last change in it. */
  def changeTimes: Seq[(String, Long)] =
    try fs.listStatus(runs).toSeq.filter(_.isDirectory).map(f => f.getPath.getName -> newest(f.getPath))
    catch { case _: FileNotFoundException => Nil }

  private def newest(folder: Path): Long = {
    val inside = fs.listStatus(folder).toSeq
    (fs.getFileStatus(folder).getModificationTime +: inside.map(_.getModificationTime)).max
  }

  /** The folders in a form that can be sent to Spark's tasks. */
  def shared(session: SparkSession): SharedFolders =
    new SharedFolders(warehouse, session.sparkContext.broadcast(new SerializableConfiguration(conf)))

  def delete(id: String): Unit = { fs.delete(folder(id), true); () }

  /** Deletes the files of an entry that are older than a time and that none of its states names. Returns their paths. */
  def deleteUnnamed(states: Seq[ManifestEntry], horizon: Long): Seq[String] = {
    val id = states.head.id
    val named = states.flatMap(entry => entry.files ++ entry.summary).map(_.name).toSet
    for {
      place <- Seq(folder(id), summaryFolder(id))
      file <- filesIn(place) if file.getModificationTime < horizon && !named(file.getPath.getName)
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
  def local: EntryFolders = new EntryFolders(warehouse, conf.value.value)
}
