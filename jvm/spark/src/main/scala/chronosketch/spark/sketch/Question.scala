package chronosketch.spark.sketch

import java.lang.ref.WeakReference
import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType

import chronosketch.families.Families
import chronosketch.spark.sql.{Arguments, Conditions, WrittenCall}
import chronosketch.summary.Summary

/** A scalar function whose first argument is a stored sketch, or a summary stored by another library. */
abstract class Question(val name: String) extends Serializable {

  /** Checks the arguments' types and constants, the sketch included. */
  def check(arguments: Seq[Expression]): TypeCheckResult

  def dataType(arguments: Seq[Expression]): DataType

  /** The call, as SQL. */
  def sql(arguments: Seq[Expression]): String = arguments.map(_.sql).mkString(s"$name(", ", ", ")")

  /** The arguments as EXPLAIN shows them. */
  def explained(arguments: Seq[Expression]): Seq[Any] = arguments

  /** Whether the first argument may also be the summary in memory instead of its bytes. */
  def readsSummary: Boolean = false

  /** If the answer is an encoded summary: the same question with the summary in memory as its answer. */
  def answeringSummary: Option[Question] = None

  /** The arguments with everything resolved that depends on the session's settings. */
  def settled(arguments: Seq[Expression]): Seq[Expression] = arguments

  /** Whether the answer to these values is NULL. By default any NULL gives NULL; questions with optional arguments override this. */
  def isUnanswered(values: Array[Any]): Boolean = {
    var i = 0
    while (i < values.length && values(i) != null) i += 1
    i < values.length
  }

  /** The function from the arguments' values to the answer or NULL. It is created once per task, and is not called for values that are
    * [[isUnanswered]].
    */
  def answering(arguments: Seq[Expression]): Array[Any] => Any
}

/** `f(sketch, type)`: a question whose second argument is a constant that names the type of the answer's values. */
private[spark] abstract class TypedQuestion(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Questions.checkType(name, 2, arguments(1))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(1, Questions.settledType(arguments(1)))
}

/** The expression that applies a [[Question]] to its arguments. A NULL argument gives NULL, unless the question accepts it.
  *
  * @param constants for each argument, whether the user wrote it as a constant
  */
final case class Ask(question: Question, arguments: Seq[Expression], constants: Seq[Boolean])
    extends Expression {
  override def prettyName: String = question.name
  override def children: Seq[Expression] = arguments
  override protected def flatArguments: Iterator[Any] = question.explained(arguments).iterator
  override def nullable: Boolean = true
  override def sql: String = WrittenCall.columnName(this).getOrElse(question.sql(arguments))
  override def dataType: DataType = question.dataType(arguments)

  /** Checks the arguments. A column that the optimizer has replaced by a constant is still checked as a column. The plan is analysed
    * already, so a wrong value is rejected when the query runs, and only if there is a row.
    */
  override def checkInputDataTypes(): TypeCheckResult = question.check(
    arguments.zip(constants).zipWithIndex.map {
      case ((e, isConstant), i) =>
        if (e.foldable && !isConstant) BoundReference(i, e.dataType, e.nullable) else e
    }
  )

  // do not fold a constant sketch: its errors belong to the row that contains it, when the query runs
  override def foldable: Boolean = false

  @transient private lazy val answer: Array[Any] => Any = question.answering(arguments)
  @transient private lazy val context: Map[String, String] =
    Map(
      "function" -> question.name,
      "sketch" -> arguments.headOption.fold("")(Arguments.written("sketch", _))
    )

  override def eval(row: InternalRow): Any = evaluate(arguments.map(_.eval(row)).toArray)

  /** Answers evaluated arguments. Also called by generated code. */
  def evaluate(values: Array[Any]): Any =
    if (question.isUnanswered(values)) null else Conditions.answering(context)(answer(values))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj(question.name, this)
    val codes = arguments.map(_.genCode(ctx))
    val values = ctx.freshName("arguments")
    val result = ctx.freshName("answer")
    val filled = arguments.zip(codes).zipWithIndex.map { case ((argument, code), i) =>
      val boxed = CodeGenerator.boxedType(argument.dataType)
      val value = if (CodeGenerator.isPrimitiveType(argument.dataType)) s"$boxed.valueOf(${code.value})"
      else s"${code.value}"
      code"${code.code}\n$values[$i] = ${code.isNull} ? null : (Object) $value;"
    }
    val all =
      filled.foldLeft(code"Object[] $values = new Object[${arguments.length}];")((a, b) => code"$a\n$b")
    val javaType = CodeGenerator.javaType(dataType)
    ev.copy(code = code"""
      $all
      Object $result = $self.evaluate($values);
      boolean ${ev.isNull} = $result == null;
      $javaType ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      if (!${ev.isNull}) { ${ev.value} = (${CodeGenerator.boxedType(dataType)}) $result; }
    """)
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): Ask = copy(arguments = c)
}

object Ask {
  def of(question: Question, arguments: Seq[Expression]): Ask = {
    val settled = question.settled(arguments)
    new Ask(question, settled, settled.map(_.foldable))
  }
}

/** Opens sketches and caches the last one. A sketch repeated by successive rows, such as a constant, is opened once. So is a sketch that
  * several questions ask in turn.
  */
private[spark] final class SketchReader {
  private var bytes: Array[Byte] = null
  private var opened: SketchReader.Opened = null

  def open(value: Any): Summary = value match {
    case itself: Summary => itself
    case _ =>
      val next = value.asInstanceOf[Array[Byte]]
      if (next ne bytes) {
        opened = SketchReader.open(next)
        bytes = next
      }
      opened.summary
  }
}

private object SketchReader {

  /** The sketch that each thread opened last. The reference is weak: it can be freed once no reader holds it. */
  private val latest = ThreadLocal.withInitial[WeakReference[Opened]](() => new WeakReference(null))

  final class Opened(val bytes: Array[Byte], val summary: Summary)

  private def open(bytes: Array[Byte]): Opened = {
    val last = latest.get.get
    // compare contents too: without generated code, each question gets its own copy of the bytes
    if (last != null && ((last.bytes eq bytes) || Arrays.equals(last.bytes, bytes))) last
    else {
      val next = new Opened(bytes, Families.open(bytes))
      latest.set(new WeakReference(next))
      next
    }
  }
}

/** Lets a question read the answer of a nested one, as in `sketch_quantile(sketch_window(...), 0.5)`, as a summary in memory, so that it
  * is not encoded to bytes in between.
  */
object DirectReading extends Rule[LogicalPlan] {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case ask @ Ask(question, (inner @ Ask(Summarising(summary), _, _)) +: rest, _) if question.readsSummary =>
      ask.copy(arguments = inner.copy(question = summary) +: rest)
  }

  private object Summarising {
    def unapply(question: Question): Option[Question] = question.answeringSummary
  }
}
