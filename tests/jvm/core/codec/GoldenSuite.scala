package chronosketch.codec

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import chronosketch.Suite
import chronosketch.domain.Kind
import chronosketch.families.Families
import chronosketch.summary.{Envelope, SummaryLaws}

/** Tests that sketches written by any earlier version are decoded with the same answers. */
class GoldenSuite extends Suite {
  private val files: Seq[Path] = {
    val stream = Files.newDirectoryStream(Golden.folder, "*.bin")
    try stream.asScala.toSeq.sortBy(_.toString)
    finally stream.close()
  }

  private def text(bin: Path): Seq[String] =
    Files.readAllLines(bin.resolveSibling(bin.getFileName.toString.replace(".bin", ".txt"))).asScala.toSeq

  test("there are golden files of every family, every value type and every form") {
    val summaries = files.map(f => Families.open(Files.readAllBytes(f)))
    assertEquals(summaries.map(_.family.name).toSet, Families.all.map(_.name).toSet)
    assertEquals(summaries.map(_.domain.kind).toSet, Kind.all.toSet)
    assertEquals(
      Stored.all.map(_._1).toSet -- files.map(_.getFileName.toString.stripSuffix(".bin")),
      Set.empty[String]
    )
  }

  files.foreach { file =>
    test(s"${file.getFileName}: same answers, same bytes") {
      val bytes = Files.readAllBytes(file)
      val summary = Families.open(bytes)
      assertEquals(Golden.answers(summary), text(file))
      // only the version that wrote the file writes the same bytes
      if (Envelope.formatOf(bytes) == Envelope.FormatVersion) {
        assertEquals(SummaryLaws.hex(summary), SummaryLaws.hex(bytes))
      }
    }
  }
}
