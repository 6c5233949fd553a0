package chronosketch.spark

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission

/** Hadoop's file system of this machine, with permissions and links by the JVM. Without its native library, Hadoop starts processes for
  * each file that it creates or renames, and streams and commits do that often.
  */
final class LocalFiles extends LocalFileSystem(new RawLocalFiles)

final class RawLocalFiles extends RawLocalFileSystem {
  override def getFileLinkStatus(path: Path): FileStatus =
    if (Files.isSymbolicLink(pathToFile(path).toPath)) super.getFileLinkStatus(path) else getFileStatus(path)

  override def setPermission(path: Path, permission: FsPermission): Unit = {
    val text = Seq(permission.getUserAction, permission.getGroupAction, permission.getOtherAction)
      .map(_.SYMBOL).mkString
    Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(text))
    ()
  }
}

/** [[LocalFiles]] as checkpoints of streams reach them. */
final class LocalFilesContext(uri: URI, conf: Configuration)
    extends ChecksumFs(new RawContext(conf))

private final class RawContext(conf: Configuration)
    extends DelegateToFileSystem(FsConstants.LOCAL_FS_URI, new RawLocalFiles, conf, "file", false) {
  override def getUriDefaultPort: Int = -1
  override def isValidName(name: String): Boolean = true
}

object LocalFiles {

  /** The settings that let Spark use these. */
  val settings: Map[String, Any] = Map(
    "spark.hadoop.fs.file.impl" -> classOf[LocalFiles].getName,
    "spark.hadoop.fs.AbstractFileSystem.file.impl" -> classOf[LocalFilesContext].getName
  )
}
