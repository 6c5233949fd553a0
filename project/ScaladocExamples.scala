import sbt._

/** Generates a test for every example in Scaladoc: the Scala code between `{{{` and `}}}` and, after `// `, the row that it gives. */
object ScaladocExamples {
  private val Block = """(?s)\{\{\{\n(.*?)\n\s*\* // ([^\n]*)\n\s*\* \}\}\}""".r

  def suite(sources: Seq[File], to: File): Seq[File] = {
    val examples = for {
      source <- sources.sortBy(_.getName)
      (block, i) <- Block.findAllMatchIn(IO.read(source)).zipWithIndex
    } yield {
      val code = block.group(1).linesIterator.map(_.replaceFirst("^\\s*\\* ?", "    ")).mkString("\n")
      val quotes = "\"" * 3
      s"""  example("${source.getName}, ${i + 1}", $quotes${block.group(2)}$quotes) {
         |$code
         |  }
         |""".stripMargin
    }
    val text =
      s"""package chronosketch.spark.dsl
         |
         |import org.apache.spark.sql.functions.{col, expr, lit}
         |
         |import chronosketch.spark.functions._
         |
         |class ScaladocExamplesSuite extends ScaladocExamples {
         |${examples.mkString("\n")}}
         |""".stripMargin
    if (!to.exists || IO.read(to) != text) IO.write(to, text)
    Seq(to)
  }
}
