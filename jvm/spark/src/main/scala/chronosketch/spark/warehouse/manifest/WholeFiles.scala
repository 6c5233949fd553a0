package chronosketch.spark.warehouse.manifest

import java.io.FileNotFoundException
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Paths, Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{LocalFileSystem, Path, FileAlreadyExistsException => HadoopFileExists}

import chronosketch.spark.sql.SparkLine

/** A folder whose files are written completely or not at all, and are never replaced. */
private[manifest] trait WholeFiles {
  def names: Seq[String]

  /** The content of a file; empty if there is no such file. */
  def read(name: String): Option[Array[Byte]]

  /** Writes a file. Returns false if it exists already; it then stays unchanged. */
  def put(name: String, bytes: Array[Byte]): Boolean
  def delete(name: String): Unit
  def description: String
}

private[manifest] object WholeFiles {
  def in(folder: Path, conf: Configuration): WholeFiles = folder.getFileSystem(conf) match {
    case local: LocalFileSystem => new LocalFiles(Paths.get(local.makeQualified(folder).toUri))
    case other => new StoreFiles(other.makeQualified(folder), conf)
  }
}

/** Writes a temporary file and links it to its name: the operating system makes the link atomically or reports that the name exists.
  * Spark's own log checks and then renames, so on a local disk two processes may both believe that they were first.
  */
private final class LocalFiles(folder: LocalPath) extends WholeFiles {
  def names: Seq[String] =
    if (!Files.isDirectory(folder)) Nil
    else Using.resource(Files.list(folder))(_.iterator.asScala.map(_.getFileName.toString).toList)

  def read(name: String): Option[Array[Byte]] =
    try Some(Files.readAllBytes(folder.resolve(name)))
    catch { case _: NoSuchFileException => None }

  def put(name: String, bytes: Array[Byte]): Boolean = {
    Files.createDirectories(folder)
    val whole = Files.createTempFile(folder, ".", ".new")
    try {
      Using.resource(java.nio.channels.FileChannel.open(whole, java.nio.file.StandardOpenOption.WRITE)) {
        file =>
          val buffer = java.nio.ByteBuffer.wrap(bytes)
          while (buffer.hasRemaining) file.write(buffer)
          file.force(true)
      }
      Files.createLink(folder.resolve(name), whole)
      true
    } catch { case _: FileAlreadyExistsException => false }
    finally Files.deleteIfExists(whole)
  }

  def delete(name: String): Unit = { Files.deleteIfExists(folder.resolve(name)); () }

  def description: String = "files on a local disk, each linked once"
}

/** Writes files as Spark's checkpoints do: by a rename that does not replace, or by a put that fails if the object exists. The scheme of
  * the file system and `spark.sql.streaming.checkpointFileManagerClass` decide which.
  */
private final class StoreFiles(folder: Path, conf: Configuration) extends WholeFiles {
  private def fs = folder.getFileSystem(conf)

  def names: Seq[String] =
    try fs.listStatus(folder).toSeq.map(_.getPath.getName)
    catch { case _: FileNotFoundException => Nil }

  def read(name: String): Option[Array[Byte]] =
    try Some(Using.resource(fs.open(new Path(folder, name)))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }

  def put(name: String, bytes: Array[Byte]): Boolean = {
    fs.mkdirs(folder)
    val file = new Path(folder, name)
    if (fs.exists(file)) false
    else {
      val output = SparkLine.writeOnce(file, conf)
      try {
        output.write(bytes)
        output.close()
        // if the file system only checks before it renames, a later writer may have replaced the file
        read(name).exists(java.util.Arrays.equals(_, bytes))
      } catch { case _: HadoopFileExists => false }
    }
  }

  def delete(name: String): Unit = { fs.delete(new Path(folder, name), false); () }

  def description: String =
    s"files on ${fs.getUri}, each written by Spark's ${SparkLine.writerOf(folder, conf)}"
}
