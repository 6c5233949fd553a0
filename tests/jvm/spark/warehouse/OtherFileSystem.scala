package chronosketch.spark.warehouse

import java.net.URI

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** The local disk under another scheme, like an unknown file system. Its renames replace no files, as in HDFS. */
final class OtherFileSystem extends RawLocalFileSystem {
  override def getScheme: String = "other"
  override def getUri: URI = URI.create("other:///")

  override def rename(from: Path, to: Path): Boolean =
    OtherFileSystem.synchronized(!exists(to) && super.rename(from, to))
}

private object OtherFileSystem
