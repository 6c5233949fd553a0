package chronosketch.spark.table

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal

import chronosketch.spark.dsl.ScalaSignatures
import chronosketch.spark.{FunctionTable, SparkSuite, functions, tables}
import chronosketch.summary.Parameter

/** Generates docs/reference.md from the function table and from the answers of each family. `make reference` writes it. */
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
      |Every function exists in SQL, Python and Scala, with the same name, arguments, order and defaults. This page shows all three
      |side by side.
      |
      |- SQL: arguments in brackets may be left out. You can give any argument by its name: `epsilon => 0.001`.
      |  `DESCRIBE FUNCTION EXTENDED approx_quantile` shows the same text in a session.
      |- Python: `from chronosketch import functions as cf`, and `import chronosketch as cs` for table functions. `warehouse` is what
      |  `cs.warehouse.open(spark, path)` returns. `help(cf.approx_quantile)` shows types, errors and an example.
      |- Scala: `import chronosketch.spark.functions._`, and `import chronosketch.spark.tables._` for table functions. A `PhiArgument`
      |  is a number, a `Seq` of numbers or a `Column`. A `SpanArgument` is the text of an interval, a `java.time.Duration`, a whole
      |  number or a `Column`. `lit(null)` means that the argument is not given.
      |
      |Each SQL function also exists as `chronosketch_<name>`. Use that name if Spark gets a function of the same name.
      |
      |`make reference` writes this page from the table of functions that SQL is given. Tests compare it with SQL, Python and
      |Scala.""".stripMargin

  private def line(title: String, functions: Seq[SqlFunction[_]]): String =
    s"- $title: ${functions.map(f => s"[`${f.name}`](#${f.name})").mkString(", ")}"

  private def function(f: SqlFunction[_]): String = {
    val examples = f.examples.map(e => s"${e.query};\n-- ${e.answer}").mkString("```sql\n", "\n", "\n```")
    val parts = Seq(s"### ${f.name}", prose(f.usage), signatures(f)) ++
      Option.when(f.arguments.nonEmpty)(arguments(f)) :+ examples
    parts.mkString("\n\n")
  }

  /** Text in which the `<` of a type is not taken for an HTML tag. */
  private def prose(text: String): String = text.replace("<", "&lt;")

  /** A signature for each language. Python's follow a rule: tests/python/test_function_table.py compares them with Python. */
  private def signatures(f: SqlFunction[_]): String = Seq(
    "| | signature |",
    "|---|---|",
    s"| SQL | `${f.name}(${f.signature})` |",
    s"| Python | `${pythonTables.getOrElse(f.name, python(f))}` |",
    s"| Scala | ${scala(f).map(line => s"`$line`").mkString("<br>")} |"
  ).mkString("\n")

  private def python(f: SqlFunction[_]): String =
    f.arguments.map(a => a.name + a.default.fold("")(d => s"=${python(d)}")).mkString(
      s"cf.${f.name}(",
      ", ",
      ")"
    )

  private def python(default: Literal): String = default match {
    case Literal(null, _) => "None"
    case Literal(true, _) => "True"
    case Literal(false, _) => "False"
    case Literal(number: Double, _) if number == math.rint(number) => number.toString
    case Literal(number: Double, _) => Parameter.text(number)
    case other => other.sql
  }

  /** Python's counterparts of the table functions, which are called on a data frame or on a warehouse. */
  private val pythonTables = Map(
    "hopping" -> "cs.hopping(df, event_time, size, slide, *, aggs, by=(), structure='auto')",
    "history_at" -> "cs.history.at(spark, into, *, version=None, timestamp=None)",
    "rollup_now" -> "cs.rollup.now(spark, into)",
    "warehouse_quantile" -> "warehouse.quantile(phi, accuracy='accurate', window=None)",
    "warehouse_rank" -> "warehouse.rank(value, accuracy='accurate', window=None)",
    "chronosketch_advise" -> ("cs.advise(*, aggregate, retention=None, slide=None, rate=None, epsilon=0.0, delta=None, memory=None, " +
      "retention_rows=None, slide_rows=None, model=None)")
  )

  private val scalaFunctions = Seq[AnyRef](functions, tables).map(new ScalaSignatures(_))

  /** The Scala overloads. */
  private def scala(f: SqlFunction[_]): Seq[String] = scalaFunctions.flatMap(_.of(f.name))

  private def arguments(f: SqlFunction[_]): String = {
    val rows = f.arguments.map { a =>
      s"| `${a.name}` | ${prose(a.meaning)} | ${a.defaultText.fold("")(d => s"`$d`")} |"
    }
    ("| argument | what it is | default |" +: "|---|---|---|" +: rows).mkString("\n")
  }

  private def families(answers: FamilyAnswers): String = {
    def row(cells: Seq[String]): String = cells.mkString("| ", " | ", " |")
    val table = Seq(
      row("" +: answers.columns.map(c => s"`$c`")),
      row("---" +: answers.columns.map(_ => "---"))
    ) ++ answers.rows.map { case (question, cells) => row(s"`$question`" +: cells) }
    Seq(
      "## Which sketch answers which question",
      "A question that a sketch cannot answer is an error that names the families that can. Merging and `is_sketch` take them all.",
      table.mkString("\n")
    ).mkString("\n\n")
  }
}
