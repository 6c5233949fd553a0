package chronosketch.spark.warehouse.runs

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
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

  /** Spark passes over names that begin with `_` where it is given the folder. */
  def summaryOf(id: String): Path = new Path(new Path(of(id), "_summary"), "groups.zstd.parquet")

  /** Refuses a file that is not what the manifest says. */
  def require(path: Path, file: LineFile): Unit = {
    def damaged(why: String): Nothing = throw Damaged(s"the file $path $why")
    val length =
      try fs.getFileStatus(path).getLen
      catch { case _: FileNotFoundException => damaged("is not there") }
    if (length != file.bytes) damaged(s"has $length bytes where ${file.bytes} should be")
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
}

/** The folders of a warehouse as they travel to tasks. */
private[warehouse] final class SharedFolders(
    warehouse: Path,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {
  def here: RunFolders = new RunFolders(warehouse, conf.value.value)
}
