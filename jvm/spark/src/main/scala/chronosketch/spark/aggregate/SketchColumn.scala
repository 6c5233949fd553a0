package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions

/** Describes the summary that is built for each group. Functions that summarise the same values in the same way share it.
  *
  * It is an expression, so that Spark sees and rewrites its children. It does not contain the aggregate functions it comes from:
  * Spark excludes a plan with an imperative aggregate from generated code.
  *
  * @param input   the values or the stored sketches; in the final aggregation the summaries' bytes
  * @param context what messages name: the function, and the frequency as it was written
  * @param copies  the number of copies of its value that a row stands for; one if absent
  * @param second  the row's event time, or the second side of its pair
  * @param conditions one bit each of the row's class
  * @param id      the row's id, if rows have a time and an id
  * @param handsRows whether a group of few rows is handed to the final aggregation as rows. Only the final aggregation of the same
  *                  plan understands them
  */
final case class SketchColumn(
    kind: InputKind,
    input: Expression,
    filter: Option[Expression],
    context: Map[String, String],
    copies: Option[Expression] = None,
    second: Option[Expression] = None,
    conditions: Seq[Expression] = Nil,
    id: Option[Expression] = None,
    handsRows: Boolean = false
) extends Expression {
  override def children: Seq[Expression] = input +: (copies.toSeq ++ second ++ conditions ++ filter ++ id)
  override def nullable: Boolean = true
  override def dataType: DataType = BinaryType

  /** Whether each row is a value, or a value and its time, and counts once. Such rows can be inserted many at once. */
  def isPlain: Boolean = kind.isBatchable && copies.isEmpty && conditions.isEmpty && id.isEmpty

  /** Whether both columns summarise the same rows into the same summary. */
  def sharesWith(that: SketchColumn): Boolean =
    copy(context = Map.empty).semanticEquals(that.copy(context = Map.empty))

  /** The column that merges intermediate results. Filters and copies were applied when these were built. */
  def merging(bytes: Expression): SketchColumn = copy(
    input = bytes,
    copies = None,
    second = None,
    conditions = Nil,
    filter = None,
    id = None,
    handsRows = false
  )

  /** The column of a partial aggregation whose results are read only by the final one of the same plan. */
  def handingRows: SketchColumn = copy(handsRows = true)

  def refused(refusal: Refusal): RuntimeException = Conditions.runtimeError(refusal, context)

  override def toString: String = {
    val weight = copies.fold("")(c => s", frequency=$c")
    val secondText = second.fold("")(e => s" ${kind.secondWord} $e")
    val by = if (conditions.isEmpty) "" else conditions.mkString(" BY ", ", ", "")
    val rowId = id.fold("")(i => s" ID $i")
    s"$kind OF $input$weight$secondText$rowId$by${filter.fold("")(f => s" FILTER (WHERE $f)")}"
  }

  override def eval(row: InternalRow): Any = throw new UnsupportedOperationException(toString)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    throw new UnsupportedOperationException(toString)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SketchColumn = {
    val rest = c.iterator
    copy(
      input = rest.next(),
      copies = copies.map(_ => rest.next()),
      second = second.map(_ => rest.next()),
      conditions = conditions.map(_ => rest.next()),
      filter = filter.map(_ => rest.next()),
      id = id.map(_ => rest.next())
    )
  }
}

object SketchColumn {

  /** Returns a number of copies, or throws if it is negative. Public, because generated code calls it. */
  def natural(copies: Long): Long =
    if (copies >= 0) copies
    else throw Refusal("CHRONOSKETCH_INVALID_FREQUENCY", "frequency" -> copies.toString)
}
