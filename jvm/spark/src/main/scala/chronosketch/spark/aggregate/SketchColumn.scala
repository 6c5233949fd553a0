package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.Refusal
import chronosketch.spark.sql.{Conditions, SqlValues}
import chronosketch.summary.{Inserts, InsertingRecipe, InsertsPairs, Recipe, Timed}

/** What a [[SketchColumn]] puts into its summaries. */
sealed abstract class Collected extends Serializable {

  /** The class of the summary that is at hand from the beginning where there is one group: a call to it is one that the JIT can
    * inline. None where the first sketch says what it is.
    */
  def summaryClass: Option[Class[_]]
}

/** Values of this type. */
final case class Values(recipe: InsertingRecipe[Inserts], dataType: DataType) extends Collected {
  @transient lazy val door: SqlValues = SqlValues.of(dataType).get
  def summaryClass: Option[Class[_]] = Some(recipe.family.summaryClass)
  override def toString: String = recipe.toString
}

/** Values of this type, and when they came. */
final case class TimedValues(recipe: Recipe[Timed], dataType: DataType) extends Collected {
  @transient lazy val door: SqlValues = SqlValues.of(dataType).get
  def summaryClass: Option[Class[_]] = Some(recipe.family.summaryClass)
  override def toString: String = recipe.toString
}

/** Values of this type, each with one of another column. */
final case class PairedValues(recipe: Recipe[InsertsPairs], dataType: DataType) extends Collected {
  @transient lazy val door: SqlValues = SqlValues.of(dataType).get
  def summaryClass: Option[Class[_]] = Some(recipe.family.summaryClass)
  override def toString: String = recipe.toString
}

/** Stored sketches, united; each says for itself what it is. */
case object StoredSketches extends Collected {
  def summaryClass: Option[Class[_]] = None
  override def toString: String = "union of sketches"
}

/** One summary a group, which any number of functions ask: those that summarise the same values in the same way share it.
  *
  * An expression so that Spark sees and rewrites what is in it, and none of the aggregate functions it comes from: a plan that
  * holds an imperative one is taken out of generated code.
  *
  * @param input   the values or the stored sketches; in the final aggregation the summaries' bytes
  * @param copies  how many copies of its value a row stands for; none: one
  * @param beside  what a row brings beside its value: when it happened, or the other side of a pair
  * @param conditions a bit each of the class that a row is in
  * @param id      which row it is of, where it brings a time and tells that too
  * @param context what messages name: the function, and the frequency as it was written
  * @param handsRows whether few rows of a group go to the final aggregation as they came, which only that of the same plan takes
  */
final case class SketchColumn(
    collected: Collected,
    input: Expression,
    copies: Option[Expression],
    beside: Option[Expression],
    conditions: Seq[Expression],
    filter: Option[Expression],
    context: Map[String, String],
    id: Option[Expression] = None,
    handsRows: Boolean = false
) extends Expression {
  override def children: Seq[Expression] = input +: (copies.toSeq ++ beside ++ conditions ++ filter ++ id)
  override def nullable: Boolean = true
  override def dataType: DataType = BinaryType

  /** Whether the other summarises the same rows into the same summary. */
  def sharesWith(that: SketchColumn): Boolean = copy(context = Map.empty).semanticEquals(that.copy(context =
    Map.empty
  ))

  /** Of an intermediate result: it was filtered, and its copies were counted, when it was built. */
  def merging(bytes: Expression): SketchColumn = copy(
    input = bytes,
    copies = None,
    beside = None,
    conditions = Nil,
    filter = None,
    id = None,
    handsRows = false
  )

  /** Of a partial aggregation whose results nothing but the final one of the same plan takes. */
  def handingRows: SketchColumn = copy(handsRows = true)

  def refused(refusal: Refusal): RuntimeException = Conditions.runtimeError(refusal, context)

  override def toString: String = {
    val weight = copies.fold("")(c => s", frequency=$c")
    val joins = collected match {
      case _: PairedValues => "WITH"
      case _ => "AT"
    }
    val other = beside.fold("")(t => s" $joins $t")
    val by = if (conditions.isEmpty) "" else conditions.mkString(" BY ", ", ", "")
    val told = id.fold("")(i => s" ID $i")
    s"$collected OF $input$weight$other$told$by${filter.fold("")(f => s" FILTER (WHERE $f)")}"
  }

  override def eval(row: InternalRow): Any = throw new UnsupportedOperationException(toString)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    throw new UnsupportedOperationException(toString)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): SketchColumn = {
    val rest = c.iterator
    copy(
      input = rest.next(),
      copies = copies.map(_ => rest.next()),
      beside = beside.map(_ => rest.next()),
      conditions = conditions.map(_ => rest.next()),
      filter = filter.map(_ => rest.next()),
      id = id.map(_ => rest.next())
    )
  }
}

object SketchColumn {

  /** A number of copies, which can't be negative. */
  private[spark] def natural(copies: Long): Long =
    if (copies >= 0) copies
    else throw Refusal("CHRONOSKETCH_INVALID_FREQUENCY", "frequency" -> copies.toString)
}
