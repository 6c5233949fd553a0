package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

import chronosketch.spark.warehouse.manifest.Run

/** Reads keys of runs by their rows, in this thread. Files stay open until [[close]].
  *
  * @param columns   the columns of the runs; the value is the last one
  * @param keptPages how many pages of a thousand rows are cached per file
  */
private[warehouse] final class KeyReader(
    folders: RunFolders,
    columns: StructType,
    keptPages: Int = KeyReader.KeptPages
) extends AutoCloseable {
  val count = new ReadCount
  private val open = mutable.HashMap.empty[(String, String), KeyFile]

  private val conf = {
    val own = new Configuration(folders.conf)
    // vectored reads would bypass the counter
    own.setBoolean("parquet.hadoop.vectored.io.enabled", false)
    own
  }

  /** The keys of the rows from `from` until `until` of a run, counted from 0. */
  def read(run: Run, from: Long, until: Long): Array[Long] = {
    val keys = new Array[Long]((until - from).toInt)
    var start = 0L
    run.files.zip(folders.rowsOf(run)).foreach { case (file, path) =>
      val first = math.max(from, start)
      val last = math.min(until, start + file.rows)
      if (first < last) {
        val opened = open.getOrElseUpdate(
          (run.id, file.name), {
            folders.require(path, file)
            new KeyFile(path, file, columns, conf, count, keptPages)
          }
        )
        opened.read(first - start, last - start, keys, (first - from).toInt)
      }
      start += file.rows
    }
    keys
  }

  def close(): Unit = open.values.foreach(_.close())
}

private[warehouse] object KeyReader {

  /** The pages cached per file if many searches read from it. */
  val KeptPages = 512

  /** The pages cached per file if rows are read in sequence: two reads may share a page. */
  val FewPages = 64
}
