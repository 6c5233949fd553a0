package chronosketch.spark.warehouse

import java.net.URI

import org.apache.hadoop.fs.RawLocalFileSystem

/** The local disk under another name: a file system that is not known to be one. */
final class OtherStore extends RawLocalFileSystem {
  override def getScheme: String = "other"
  override def getUri: URI = URI.create("other:///")
}
