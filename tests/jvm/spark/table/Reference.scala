package chronosketch.spark.table

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession

import chronosketch.spark.{FunctionTable, SparkSuite}

/** docs/reference.md, from the function table and from what sketches of each family answer. `make reference` writes it. */
object Reference {
  val File: Path = Path.of("docs/reference.md")

  def main(arguments: Array[String]): Unit = {
    Files.writeString(File, page(SparkSuite.session))
    SparkSuite.session.stop()
  }

  def page(spark: SparkSession): String = {
    val chapters: Seq[(String, Seq[SqlFunction[_]])] =
      FunctionTable.chapters :+ ("Table functions" -> FunctionTable.tables)
    val contents = chapters.map { case (title, functions) => line(title, functions) }.mkString("\n")
    val parts = Seq(opening, contents) ++
      chapters.flatMap { case (title, functions) => s"## $title" +: functions.map(function) } ++
      Seq(families(new FamilyAnswers(spark)))
    parts.mkString("", "\n\n", "\n")
  }

  private val opening =
    """# Functions
      |
      |SQL, Python and Scala have the same functions with the same arguments and defaults. Arguments have names in SQL too:
      |`approx_quantile(latency, 0.99, epsilon => 0.001)`. Those in brackets may be left out. Each function also exists as
      |`chronosketch_<name>`, should Spark ever have one of the same name.
      |
      |- SQL: `DESCRIBE FUNCTION EXTENDED approx_quantile` shows what stands here.
      |- Python: `from chronosketch import functions as cf`, then `cf.approx_quantile("latency", 0.99)`.
      |- Scala: `import chronosketch.spark.functions._`, then `approx_quantile(col("latency"), 0.99)`. Names of arguments are written
      |  `eventTime` and `asOf`, and `type` is `typeName`.
      |
      |`make reference` writes this page from the table of functions that SQL is given; a test compares the two.""".stripMargin

  private def line(title: String, functions: Seq[SqlFunction[_]]): String =
    s"- $title: ${functions.map(f => s"[`${f.name}`](#${f.name})").mkString(", ")}"

  private def function(f: SqlFunction[_]): String = {
    val examples = f.examples.map(e => s"${e.query};\n-- ${e.answer}").mkString("```sql\n", "\n", "\n```")
    val parts = Seq(s"### ${f.name}", s"`${f.name}(${f.signature})`", f.usage) ++
      Option.when(f.arguments.nonEmpty)(arguments(f)) :+ examples
    parts.mkString("\n\n")
  }

  private def arguments(f: SqlFunction[_]): String = {
    val rows = f.arguments.map { a =>
      s"| `${a.name}` | ${a.meaning} | ${a.defaultText.fold("")(d => s"`$d`")} |"
    }
    ("| argument | what it is | default |" +: "|---|---|---|" +: rows).mkString("\n")
  }

  private def families(answers: FamilyAnswers): String = {
    def row(cells: Seq[String]): String = cells.mkString("| ", " | ", " |")
    val table = Seq(
      row("" +: answers.columns.map(c => s"`$c`")),
      row("---" +: answers.columns.map(_ => "---"))
    ) ++ answers.rows.map { case (question, are) =>
      row(s"`$question`" +: are.map(if (_) "yes" else "–"))
    }
    Seq(
      "## Which sketch answers which question",
      "A question that a sketch cannot answer is an error that names the families that can. Merging and `is_sketch` take them all.",
      table.mkString("\n")
    ).mkString("\n\n")
  }
}
