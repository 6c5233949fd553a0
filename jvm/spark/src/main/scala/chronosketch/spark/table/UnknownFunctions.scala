package chronosketch.spark.table

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  AnalysisContext,
  FunctionRegistry,
  FunctionRegistryBase,
  SQLFunctionContext,
  TableFunctionRegistry,
  UnresolvedFunction,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.trees.TreePattern.{UNRESOLVED_FUNCTION, UNRESOLVED_TABLE_VALUED_FUNCTION}
import org.apache.spark.sql.types.Decimal

import chronosketch.spark.sql.{Arguments, Conditions}

/** Names the right function in the error for an unknown one that looks like ours. Other names get Spark's own error.
  *
  * Spark rejects unknown functions between two batches of rules, and the batch of hints is the last one before that.
  *
  * Cost  for a function of Spark's or ours, a look-up by name. Only a name that is neither and looks like ours is searched in the
  *       session and its catalogs: it may be the user's own
  */
private[spark] final class UnknownFunctions(
    session: SparkSession,
    scalars: Seq[SqlFunction[Expression]],
    tables: Seq[SqlFunction[LogicalPlan]]
) extends Rule[LogicalPlan] {
  import UnknownFunctions._

  // of rows, a name of one word, such as passing, is near too many others
  private val ofRows = new Known(scalars, FunctionRegistry.builtin, oneWord = false)
  private val ofTables = new Known(tables, TableFunctionRegistry.builtin, oneWord = true)

  def apply(plan: LogicalPlan): LogicalPlan = {
    // the body of a user's SQL function may name other functions of its database
    if (
      plan.containsAnyPattern(UNRESOLVED_FUNCTION, UNRESOLVED_TABLE_VALUED_FUNCTION) &&
      SQLFunctionContext.get.nestedSQLFunctionDepth == 0
    ) plan.foreach { node =>
      node match {
        case UnresolvedTableValuedFunction(Seq(name), arguments, _) =>
          check(name, arguments, node.origin, ofTables)
        case _ =>
      }
      if (node.containsPattern(UNRESOLVED_FUNCTION)) node.expressions.foreach(_.foreach {
        case f: UnresolvedFunction if f.nameParts.size == 1 && !f.isInternal =>
          check(f.nameParts.head, f.arguments, f.origin, ofRows)
        case _ =>
      })
    }
    plan
  }

  private def check(name: String, arguments: Seq[Expression], origin: Origin, known: Known): Unit =
    if (!known.has(name.toLowerCase(Locale.ROOT)))
      known.nearest.find(name, arguments.size).filterNot(_ => exists(name)).foreach { guess =>
        val function = known.functions.find(_.name == guess.function).get
        throw Conditions.analysisError(
          "CHRONOSKETCH_UNKNOWN_FUNCTION",
          origin,
          "function" -> name,
          "fix" -> fix(function, guess, arguments, origin),
          "nearest" -> function.name,
          "does" -> lowerFirst(function.summary)
        )
      }

  /** Whether the user has such a function, for this query or for the view that is being read. */
  private def exists(name: String): Boolean = {
    val quoted =
      Seq(name) +: Option(AnalysisContext.get.catalogAndNamespace).filter(_.nonEmpty).map(_ :+ name).toSeq
    quoted.map(_.map(part => s"`${part.replace("`", "``")}`").mkString("."))
      .exists(session.catalog.functionExists)
  }
}

private object UnknownFunctions {

  /** Our functions and Spark's, of those that return a value or of those that return a table. */
  private final class Known(
      val functions: Seq[SqlFunction[_]],
      builtIn: FunctionRegistryBase[_],
      oneWord: Boolean
  ) {
    private lazy val names = functions.flatMap(_.names).toSet
    lazy val nearest = new NearestFunction(functions.map(_.name), oneWord)

    /** Whether a name in lower case is one of theirs. */
    def has(name: String): Boolean = builtIn.functionExists(FunctionIdentifier(name)) || names(name)
  }

  /** A call that can be pasted: with the user's arguments if the function takes that number of them, or else the example of its page. */
  private def fix(
      function: SqlFunction[_],
      guess: NearestFunction.Guess,
      arguments: Seq[Expression],
      call: Origin
  ): String = {
    val texts = guess.arguments(arguments.map(written(_, call)))
    val adapted = function.arguments.zip(texts).map {
      case (Argument("phi", _, _), percent) => share(percent)
      case (_, text) => text
    }
    val names = arguments.collect { case NamedArgumentExpression(key, _) => key.toLowerCase(Locale.ROOT) }
    val fits = texts.size >= function.arguments.count(_.default.isEmpty) &&
      texts.size <= function.arguments.size && names.forall(function.arguments.map(_.name).contains)
    if (fits) adapted.mkString(s"${function.name}(", ", ", ")") else function.examples.head.query
  }

  /** An argument as the user wrote it. Columns of data frames have no text, so Spark's SQL of them is taken. */
  private def written(e: Expression, call: Origin): String = e match {
    case NamedArgumentExpression(key, value) => s"$key => ${written(value, call)}"
    case _ =>
      val origin = e.origin
      (origin.sqlText, origin.startIndex, origin.stopIndex) match {
        case (Some(text), Some(from), Some(to))
            if origin.startIndex != call.startIndex && from >= 0 && to < text.length =>
          text.substring(from, to + 1)
        case _ =>
          e match {
            case Literal(number: Decimal, _) => number.toString
            case Literal(number: Double, _) => number.toString
            case _ => Arguments.unqualified(e)
          }
      }
  }

  private val Percent = "(\\d{1,2}(?:\\.\\d+)?)".r

  /** A share from 0 to 1: other systems take percentages. */
  private def share(phi: String): String = phi match {
    case Percent(percent) if BigDecimal(percent) > 1 =>
      (BigDecimal(percent) / 100).bigDecimal.stripTrailingZeros.toPlainString
    case _ => phi
  }

  private def lowerFirst(sentence: String): String = s"${sentence.head.toLower}${sentence.tail}"
}
