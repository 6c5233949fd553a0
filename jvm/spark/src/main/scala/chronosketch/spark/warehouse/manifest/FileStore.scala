package chronosketch.spark.warehouse.manifest

import java.io.FileNotFoundException
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Paths, Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{LocalFileSystem, Path, FileAlreadyExistsException => HadoopFileExists}

import chronosketch.spark.sql.SparkVersion
import chronosketch.warehouse.DamagedWarehouse

/** A store with one file per version in a folder. A file is written completely and once, or not at all.
  *
  * Guarantee  of several concurrent commits of one version exactly one wins; a reader sees a complete file or none
  * Cost       one listing of the folder, and one file read or written
  */
private[spark] final class FileStore(folder: Path, conf: Configuration) extends ManifestStore {
  private val files = AtomicFiles.in(folder, conf)

  private def newestVersion: Option[Long] = files.names.flatMap(FileStore.version).maxOption

  def current(): Option[State] = newestVersion.map { version =>
    // another writer may have deleted this version meanwhile; then there is a newer one
    state(version).orElse(current()).get
  }

  private def state(version: Long): Option[State] = files.read(FileStore.name(version)).map { bytes =>
    val read = StateCodec.decode(FileStore.name(version), bytes)
    // a file that was renamed to a later version would stay the newest for ever and block all commits
    if (read.version != version)
      throw DamagedWarehouse(s"${FileStore.name(version)} says that it is version ${read.version}")
    read
  }

  // compare with the newest version, because an older version is taken even if its file was deleted
  def commit(next: State): Boolean = newestVersion.fold(0L)(_ + 1) == next.version &&
    files.putIfAbsent(FileStore.name(next.version), StateCodec.encode(next))

  def storedStates(): Seq[State] = files.names.flatMap(FileStore.version).sorted.reverse.flatMap(state)

  def deleteBefore(before: Long): Unit =
    files.names.filter(name => FileStore.version(name).exists(_ < before)).foreach(files.delete)

  def description: String = files.description
}

private[spark] object FileStore {
  private val File = """(\d{20})\.json""".r

  private def name(version: Long): String = f"$version%020d.json"

  private def version(name: String): Option[Long] = name match {
    case File(digits) => Some(digits.toLong)
    case _ => None
  }
}

/** A folder whose files are written completely or not at all, and are never replaced. */
private[manifest] trait AtomicFiles {
  def names: Seq[String]

  /** The content of a file; empty if there is no such file. */
  def read(name: String): Option[Array[Byte]]

  /** Writes a file. Returns false if it exists already; it then stays unchanged. */
  def putIfAbsent(name: String, bytes: Array[Byte]): Boolean
  def delete(name: String): Unit
  def description: String
}

private[manifest] object AtomicFiles {
  def in(folder: Path, conf: Configuration): AtomicFiles = folder.getFileSystem(conf) match {
    case local: LocalFileSystem => new LocalFiles(Paths.get(local.makeQualified(folder).toUri))
    case other => new RemoteFiles(other.makeQualified(folder), conf)
  }
}

/** Writes a temporary file and links it to its name: the operating system makes the link atomically or reports that the name exists.
  * Spark's own log checks and then renames, so on a local disk two processes may both believe that they were first.
  */
private final class LocalFiles(folder: LocalPath) extends AtomicFiles {
  def names: Seq[String] =
    if (!Files.isDirectory(folder)) Nil
    else Using.resource(Files.list(folder))(_.iterator.asScala.map(_.getFileName.toString).toList)

  def read(name: String): Option[Array[Byte]] =
    try Some(Files.readAllBytes(folder.resolve(name)))
    catch { case _: NoSuchFileException => None }

  def putIfAbsent(name: String, bytes: Array[Byte]): Boolean = {
    Files.createDirectories(folder)
    val temporary = Files.createTempFile(folder, ".", ".new")
    try {
      Using.resource(java.nio.channels.FileChannel.open(temporary, java.nio.file.StandardOpenOption.WRITE)) {
        file =>
          val buffer = java.nio.ByteBuffer.wrap(bytes)
          while (buffer.hasRemaining) file.write(buffer)
          file.force(true)
      }
      Files.createLink(folder.resolve(name), temporary)
      true
    } catch { case _: FileAlreadyExistsException => false }
    finally Files.deleteIfExists(temporary)
  }

  def delete(name: String): Unit = { Files.deleteIfExists(folder.resolve(name)); () }

  def description: String = "files on a local disk, each linked once"
}

/** Writes files like Spark's checkpoints: by a rename that does not replace, or by a put that fails if the object exists. The scheme of the
  * file system and `spark.sql.streaming.checkpointFileManagerClass` decide which.
  */
private final class RemoteFiles(folder: Path, conf: Configuration) extends AtomicFiles {
  private def fs = folder.getFileSystem(conf)

  def names: Seq[String] =
    try fs.listStatus(folder).toSeq.map(_.getPath.getName)
    catch { case _: FileNotFoundException => Nil }

  def read(name: String): Option[Array[Byte]] =
    try Some(Using.resource(fs.open(new Path(folder, name)))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }

  def putIfAbsent(name: String, bytes: Array[Byte]): Boolean = {
    fs.mkdirs(folder)
    val file = new Path(folder, name)
    if (fs.exists(file)) false
    else {
      val output = SparkVersion.writeOnce(file, conf)
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
    s"files on ${fs.getUri}, each written by Spark's ${SparkVersion.writerOf(folder, conf)}"
}
