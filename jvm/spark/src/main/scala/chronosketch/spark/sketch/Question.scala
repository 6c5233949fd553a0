package chronosketch.spark.sketch

import java.lang.ref.WeakReference
import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

import chronosketch.families.Families
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.Summary

/** Something that can be asked of a stored sketch, or of what another library stored: a scalar function whose first argument is that. */
abstract class Question(val name: String) extends Serializable {

  /** Checks the arguments' types and constants, the sketch included. */
  def check(arguments: Seq[Expression]): TypeCheckResult

  def dataType(arguments: Seq[Expression]): DataType

  /** The call, as SQL. */
  def sql(arguments: Seq[Expression]): String = arguments.map(_.sql).mkString(s"$name(", ", ", ")")

  /** The arguments, for EXPLAIN. */
  def explained(arguments: Seq[Expression]): Seq[Any] = arguments

  /** Whether the sketch, its first argument, may also come as the summary itself. */
  def readsSummary: Boolean = false

  /** The same question with a summary in memory as its answer, where its answer is the bytes of one. */
  def answeringSummary: Option[Question] = None

  /** The arguments as they are kept: whatever the session's settings have a part in is settled. */
  def settled(arguments: Seq[Expression]): Seq[Expression] = arguments

  /** Whether these values are answered by NULL: any NULL does that, but for arguments that may be left out. */
  def isUnanswered(values: Array[Any]): Boolean = {
    var i = 0
    while (i < values.length && values(i) != null) i += 1
    i < values.length
  }

  /** The function from the arguments' values, which are not [[isUnanswered]], to the answer, or NULL; once a task. */
  def answering(arguments: Seq[Expression]): Array[Any] => Any
}

/** A [[Question]] put to its arguments; NULL among them is an answer of NULL.
  *
  * @param constants which of the arguments the user wrote as constants
  */
final case class Ask(question: Question, arguments: Seq[Expression], constants: Seq[Boolean])
    extends Expression {
  override def prettyName: String = question.name
  override def children: Seq[Expression] = arguments
  override protected def flatArguments: Iterator[Any] = question.explained(arguments).iterator
  override def nullable: Boolean = true
  override def sql: String = question.sql(arguments)
  override def dataType: DataType = question.dataType(arguments)

  /** A constant that the optimizer found is still a column here. The plan has been analysed: a wrong value is refused when the query
    * runs, and only if there is a row.
    */
  override def checkInputDataTypes(): TypeCheckResult = question.check(
    arguments.zip(constants).zipWithIndex.map {
      case ((e, isConstant), i) =>
        if (e.foldable && !isConstant) BoundReference(i, e.dataType, e.nullable) else e
    }
  )

  // a constant sketch is asked when the query runs: its errors belong to the row that has it
  override def foldable: Boolean = false

  @transient private lazy val answer: Array[Any] => Any = question.answering(arguments)
  @transient private lazy val context: Map[String, String] =
    Map(
      "function" -> question.name,
      "sketch" -> arguments.headOption.fold("")(Arguments.written("sketch", _))
    )

  override def eval(row: InternalRow): Any = evaluate(arguments.map(_.eval(row)).toArray)

  /** The answer to evaluated arguments, also from generated code. */
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

/** Opens sketches; rows that repeat one array, as a constant does, have it opened once, and so have questions that ask one
  * sketch in turn.
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

  /** What a thread opened last, as long as a reader has it or nobody else needs its memory. */
  private val latest = ThreadLocal.withInitial[WeakReference[Opened]](() => new WeakReference(null))

  final class Opened(val bytes: Array[Byte], val summary: Summary)

  private def open(bytes: Array[Byte]): Opened = {
    val last = latest.get.get
    // code that is not generated gives each question a copy of its own
    if (last != null && ((last.bytes eq bytes) || Arrays.equals(last.bytes, bytes))) last
    else {
      val next = new Opened(bytes, Families.open(bytes))
      latest.set(new WeakReference(next))
      next
    }
  }
}
