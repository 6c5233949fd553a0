package chronosketch.spark.window

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}

import chronosketch.spark.sql.{Arguments, Conditions, Span}

/** A window function such as `within_last`. It has a meaning only in the `window` argument of a chronosketch function, which replaces it
  * while the function is built. One that remains in a plan is misplaced.
  */
sealed abstract class WindowMark extends UnaryExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  protected def checkArgument(): TypeCheckResult
  override def checkInputDataTypes(): TypeCheckResult = checkArgument()

  /** The error for a window function outside a `window` argument. */
  def misplaced: Exception = Conditions.analysisError(
    "CHRONOSKETCH_MISPLACED_WINDOW",
    origin,
    "function" -> prettyName,
    "sql" -> Arguments.unqualified(this)
  )

  override def eval(row: InternalRow): Any = throw misplaced
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = throw misplaced
}

/** `within_last(interval)`: the rows of the last span of time. */
final case class WithinLast(span: Expression) extends WindowMark {
  def child: Expression = span
  override def prettyName: String = WithinLast.Name
  protected def checkArgument(): TypeCheckResult = WithinLast.check(prettyName, "interval", 1, span)
  override protected def withNewChildInternal(newChild: Expression): WithinLast = copy(newChild)
}

object WithinLast {
  val Name = "within_last"

  def check(function: String, argument: String, position: Int, e: Expression): TypeCheckResult =
    if (!Span.isType(e.dataType)) Arguments.unexpectedType(position, Span.Types, e)
    else
      Arguments.checkConstant(argument, Span.Types, e) {
        Span.of(function, argument, e)
        TypeCheckSuccess
      }
}

/** `among_last(n)`: the last n rows. */
final case class AmongLast(rows: Expression) extends WindowMark {
  def child: Expression = rows
  override def prettyName: String = AmongLast.Name
  protected def checkArgument(): TypeCheckResult =
    if (!Span.isWhole(rows.dataType)) Arguments.unexpectedType(1, AmongLast.Types, rows)
    else
      Arguments.checkConstant("n", AmongLast.Types, rows) {
        Span.of(prettyName, "n", rows)
        TypeCheckSuccess
      }
  override protected def withNewChildInternal(newChild: Expression): AmongLast = copy(newChild)
}

object AmongLast {
  val Name = "among_last"
  private val Types = "INTEGRAL"
}

/** `passing(filter)`: the rows that pass a filter with which the stored sketch was built. */
final case class Passing(filter: Expression) extends WindowMark {
  def child: Expression = filter
  override def prettyName: String = Passing.Name
  protected def checkArgument(): TypeCheckResult = filter.dataType match {
    case _: StringType => Arguments.checkConstant("filter", "STRING", filter)(TypeCheckSuccess)
    case _ => Arguments.unexpectedType(1, "STRING", filter)
  }
  override protected def withNewChildInternal(newChild: Expression): Passing = copy(newChild)
}

object Passing {
  val Name = "passing"
}

/** Rejects plans with a misplaced window function. */
object MisplacedWindows extends (LogicalPlan => Unit) {
  def apply(plan: LogicalPlan): Unit =
    plan.foreach(_.expressions.foreach(_.foreach {
      case mark: WindowMark => throw mark.misplaced
      case _ =>
    }))
}
