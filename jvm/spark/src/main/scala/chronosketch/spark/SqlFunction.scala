package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, TableFunctionRegistry}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{FunctionBuilderBase, FunctionSignature, InputParameter}

import chronosketch.spark.aggregate.WithinGroup
import chronosketch.spark.sql.Accuracy

/** An argument of a function: its name, its default where it may be left out, and what it means. */
final case class Argument(name: String, meaning: String, default: Option[Literal] = None)

/** A query that shows a function, and what it answers: a test runs every one. */
final case class Example(query: String, answer: String)

/** One row of the [[FunctionTable]]: everything that SQL says of a function and needs to build it.
  *
  * @param build from the arguments, defaults filled in, in the order listed: an expression, or the plan of a table function
  */
final case class SqlFunction[A](
    name: String,
    group: String,
    usage: String,
    arguments: Seq[Argument],
    examples: Seq[Example],
    since: String,
    build: Seq[Expression] => A
) {

  /** Under this name it is always there, whatever names Spark takes for itself. */
  def fullName: String = if (name.startsWith(SqlFunction.Prefix)) name else SqlFunction.Prefix + name

  private def builder(called: String): Seq[Expression] => A = {
    val named = new FunctionBuilderBase[A] {
      override def functionSignature: Option[FunctionSignature] =
        Some(FunctionSignature(arguments.map(a => InputParameter(a.name, a.default))))
      override def build(funcName: String, expressions: Seq[Expression]): A =
        SqlFunction.this.build(expressions)
    }
    val names = arguments.map(_.name)
    expressions => {
      Accuracy.refuse(called, names, expressions)
      val call = WithinGroup.arguments(names, expressions)
      named.build(called, FunctionRegistry.rearrangeExpressions(called, named, call))
    }
  }

  private def info(called: String): ExpressionInfo = {
    val signature = arguments.map(a => if (a.default.isEmpty) a.name else s"[${a.name}]").mkString(", ")
    def block(title: String, lines: Seq[String]): String =
      if (lines.isEmpty) "" else lines.map(l => s"      $l\n").mkString(s"\n    $title:\n", "", "  ")
    new ExpressionInfo(
      classOf[ChronosketchExtensions].getName,
      null,
      called,
      s"\n    $called($signature) - $usage\n  ",
      block(
        "Arguments",
        arguments.map { a =>
          val default = a.default.filter(_.value != null).fold("")(d => s" Default: ${d.sql}.")
          s"* ${a.name} - ${a.meaning}$default"
        }
      ),
      block(
        "Examples",
        examples.flatMap(e => Seq(s"> ${e.query.replace(name + "(", called + "(")};", s" ${e.answer}"))
      ),
      "",
      group,
      since,
      "",
      "built-in"
    )
  }

  /** What a session is given: the full name always, the bare one where Spark has no such function. */
  def registrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => A)] = {
    val free = !Seq(FunctionRegistry.builtin, TableFunctionRegistry.builtin).exists(
      _.functionExists(FunctionIdentifier(name))
    )
    (Seq(fullName) ++ (if (free && name != fullName) Seq(name) else Nil)).map { called =>
      (FunctionIdentifier(called), info(called), builder(called))
    }
  }
}

object SqlFunction {
  val Prefix = "chronosketch_"
}
