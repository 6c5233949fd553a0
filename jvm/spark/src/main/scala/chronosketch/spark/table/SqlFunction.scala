package chronosketch.spark.table

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, TableFunctionRegistry, UnresolvedWithinGroup}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  ExpressionInfo,
  Literal,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{FunctionBuilderBase, FunctionSignature, InputParameter}

import chronosketch.spark.sql.{Accuracy, WrittenCall}
import chronosketch.summary.Parameter

/** An argument of a function: its name, its meaning, and its default if it is optional. */
final case class Argument(name: String, meaning: String, default: Option[Literal] = None) {

  /** The default as a user would write it. None if the argument is required, or if the default is NULL for "not given". */
  def defaultText: Option[String] = default.collect {
    case Literal(number: Double, _) => Parameter.text(number)
    case literal if literal.value != null => literal.sql
  }
}

/** An example query of a function with its answer. A test runs every example. */
final case class Example(query: String, answer: String)

/** One row of the function table: everything that SQL shows about a function and needs to build it.
  *
  * @param group  the kind of function, in Spark's words
  * @param usage  describes the function. The first sentence begins with a verb, as in "Returns"; the Scaladoc of the Scala function and
  *               the docstring of the Python function begin with the same sentence
  * @param build  makes an expression, or the plan of a table function. It gets the arguments in the order listed, with the
  *               defaults filled in
  * @param aliases older names of the function, which stay
  */
final case class SqlFunction[A](
    name: String,
    group: String,
    usage: String,
    arguments: Seq[Argument],
    examples: Seq[Example],
    build: Seq[Expression] => A,
    since: String = "0.1.0",
    aliases: Seq[String] = Nil
) {

  /** The first sentence of [[usage]]. */
  def summary: String = usage.split("(?<=\\.) ", 2).head

  /** The arguments as DESCRIBE FUNCTION shows them, with optional ones in brackets. */
  def signature: String =
    arguments.map(a => if (a.default.isEmpty) a.name else s"[${a.name}]").mkString(", ")

  /** The prefixed name, which is always registered, even if a later Spark uses the bare name itself. */
  def fullName: String = SqlFunction.fullName(name)

  /** All names that the function is registered under. */
  def names: Seq[String] = (name +: aliases).flatMap(own => Seq(own, SqlFunction.fullName(own)))

  private def builder(called: String): Seq[Expression] => A = {
    val named = new FunctionBuilderBase[A] {
      override def functionSignature: Option[FunctionSignature] =
        Some(FunctionSignature(arguments.map(a => InputParameter(a.name, a.default))))
      override def build(funcName: String, expressions: Seq[Expression]): A = {
        val built = SqlFunction.this.build(expressions)
        WrittenCall.remember(
          built,
          new WrittenCall(
            name,
            arguments.zip(expressions).map {
              case (argument, value) => (argument.name, value, argument.default)
            }
          )
        )
        built
      }
    }
    val names = arguments.map(_.name)
    expressions => {
      Accuracy.refuse(called, names, expressions)
      val call = SqlFunction.withAwaitedValue(names, expressions)
      named.build(called, FunctionRegistry.rearrangeExpressions(called, named, call))
    }
  }

  private def info(called: String): ExpressionInfo = {
    def block(title: String, lines: Seq[String]): String =
      if (lines.isEmpty) "" else lines.map(l => s"      $l\n").mkString(s"\n    $title:\n", "", "  ")
    new ExpressionInfo(
      classOf[SqlFunction[_]].getName,
      null,
      called,
      s"\n    $called($signature) - $usage\n  ",
      block(
        "Arguments",
        arguments.map { a =>
          s"* ${a.name} - ${a.meaning}${a.defaultText.fold("")(d => s" Default: $d.")}"
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

  /** The functions to register in a session: always the full name, and the bare name if Spark has no function of that name.
    *
    * @param users finds the user's own function of a bare name, which then takes precedence
    */
  def registrations(
      users: (String, Seq[Expression]) => Option[A]
  ): Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => A)] = {
    def isFree(called: String): Boolean =
      !Seq(FunctionRegistry.builtin, TableFunctionRegistry.builtin).exists(
        _.functionExists(FunctionIdentifier(called))
      )
    def under(called: String) = {
      val full = SqlFunction.fullName(called)
      val always = (FunctionIdentifier(full), info(full), builder(full))
      lazy val ours = builder(called)
      val bare = Option.when(called != full && isFree(called))(
        (
          FunctionIdentifier(called),
          info(called),
          (arguments: Seq[Expression]) => users(called, arguments).getOrElse(ours(arguments))
        )
      )
      always +: bare.toSeq
    }
    (name +: aliases).flatMap(under)
  }
}

object SqlFunction {
  val Prefix = "chronosketch_"

  /** The prefixed name of a function. */
  private[spark] def fullName(name: String): String = if (name.startsWith(Prefix)) name else Prefix + name

  val Aggregates = "agg_funcs"
  val Scalars = "misc_funcs"
  val Predicates = "predicate_funcs"
  val Tables = "table_funcs"

  /** The arguments of a call. If a function takes a value and a phi, and the call has only a constant phi, the value is expected in
    * WITHIN GROUP and a placeholder is put in its place.
    */
  private def withAwaitedValue(names: Seq[String], call: Seq[Expression]): Seq[Expression] = {
    val (named, placed) = call.partition(_.isInstanceOf[NamedArgumentExpression])
    def has(name: String): Boolean = named.exists {
      case NamedArgumentExpression(key, _) => key.equalsIgnoreCase(name)
      case _ => false
    }
    val isPhiAlone = placed match {
      case Seq(phi) => phi.foldable && !has("phi")
      case Seq() => has("phi")
      case _ => false
    }
    if (names.startsWith(Seq("value", "phi")) && isPhiAlone && !has("value")) UnresolvedWithinGroup +: call
    else call
  }
}
