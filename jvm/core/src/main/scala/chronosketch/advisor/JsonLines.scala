package chronosketch.advisor

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}

import chronosketch.Version

/** Formats the printed lines, each a JSON object of numbers and strings. */
private object JsonLines {
  def machine: String = {
    def property(name: String) = System.getProperty(name)
    obj(
      "kind" -> "machine",
      "cores" -> Runtime.getRuntime.availableProcessors,
      "cpu" -> cpu,
      "jvm" -> s"${property("java.vm.name")} ${property("java.version")}",
      "os" -> s"${property("os.name")} ${property("os.version")}",
      "version" -> Version.value
    )
  }

  def progress(done: Int, total: Int, cell: String): String =
    obj("kind" -> "progress", "done" -> done, "of" -> total, "cell" -> cell)

  def cell(cell: Cell, result: CellResult): String = obj(
    "kind" -> "cell",
    "place" -> "core",
    "aggregate" -> cell.aggregate,
    "approach" -> cell.approach,
    "retention" -> cell.retention,
    "slide" -> cell.slide,
    "epsilon" -> cell.epsilon,
    "delta" -> Cell.Delta,
    "update_ns" -> result.updateNs,
    "query_ns" -> result.queryNs,
    "bytes" -> result.bytes,
    "error" -> result.error,
    "repeats" -> result.repeats
  )

  private def obj(fields: (String, Any)*): String =
    fields.map { case (name, value) => s""""$name":${text(value)}""" }.mkString("{", ",", "}")

  private def text(value: Any): String = value match {
    case string: String => string.flatMap(escaped).mkString("\"", "", "\"")
    case number => number.toString
  }

  private def escaped(char: Char): String = char match {
    case '"' | '\\' => s"\\$char"
    case _ if char < ' ' => " "
    case _ => char.toString
  }

  /** The name of the CPU on Linux; elsewhere the architecture. */
  private def cpu: String = {
    val file = Path.of("/proc/cpuinfo")
    val named =
      if (!Files.isReadable(file)) None
      else
        Files.readString(file, StandardCharsets.UTF_8).linesIterator
          .find(_.startsWith("model name")).map(_.dropWhile(_ != ':').drop(1).trim)
    named.getOrElse(System.getProperty("os.arch"))
  }
}
