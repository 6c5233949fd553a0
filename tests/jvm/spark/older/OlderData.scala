package chronosketch.spark.older

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** What older versions have stored, in tests/older. write.py there says how, and MADE.md by which commits. */
object OlderData {
  private val folder = Path.of("tests", "older")

  /** A copy of a part, which a test may change. */
  def copy(part: String): Path = {
    val from = folder.resolve(part)
    require(Files.isDirectory(from), s"there is no $from")
    val to = Files.createTempDirectory(part)
    Using.resource(Files.walk(from))(_.iterator.asScala.filter(_ != from).foreach { file =>
      Files.copy(file, to.resolve(from.relativize(file)))
    })
    to
  }
}
