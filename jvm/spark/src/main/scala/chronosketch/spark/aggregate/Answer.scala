package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, Literal}
import org.apache.spark.sql.types._

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Capabilities
import chronosketch.grouped.GroupedSummaries
import chronosketch.qlove.UnfinishedPanes
import chronosketch.rank.Phi
import chronosketch.shape.LinearQuantile
import chronosketch.spark.sql.{Conditions, KeyCodec, Phis}
import chronosketch.summary.{Envelope, Summary}
import chronosketch.window.{Constraint, RestrictedWindow, WindowSketches}

/** The result of an aggregate, computed from its complete summary. */
sealed abstract class Answer extends Serializable {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType
  def nullable: Boolean = true

  /** Computes the result. The summary is not changed: with OVER, Spark asks for a result once per row. */
  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any
}

/** Returns the sketch itself, as bytes. Without values, the sketch is empty. */
case object AsSketch extends Answer {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType = BinaryType
  override def nullable: Boolean = false
  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any = Envelope.seal(summary)
}

/** Finishes a pane whose rows are complete and returns the finished pane as bytes. */
case object AsFinishedPane extends Answer {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType = BinaryType
  override def nullable: Boolean = false
  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any =
    Envelope.seal(UnfinishedPanes.own(summary).finish())
}

/** The φ-quantile. */
case object AsQuantile extends Answer {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType = Phis.typed(phi.get, values.dataType)

  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any =
    if (summary.count == 0) null
    else {
      val ranked = Capabilities.requireRanked(summary)
      phis.map(phi => values.value(ranked.quantile(phi)))
    }
}

/** The two values between which the exact φ-quantile lies. */
case object AsQuantileBounds extends Answer {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType =
    Phis.typed(phi.get, Answer.bounds(values.dataType))

  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any =
    if (summary.count == 0) null
    else {
      val profile = Capabilities.requireRanked(summary).profile
      phis.map { phi =>
        val (low, high) = profile.quantileBounds(phi)
        new GenericInternalRow(Array[Any](values.value(low), values.value(high)))
      }
    }
}

/** A result interpolated linearly between neighbouring values, so it need not be one of the values. */
sealed abstract class OnLine(one: DataType) extends Answer {
  final def dataType(values: KeyCodec, phi: Option[Expression]): DataType = Phis.typed(phi.get, one)

  protected def ask(line: LinearQuantile, phi: Phi): Any

  final def compute(summary: Summary, values: KeyCodec, phis: Phis): Any =
    LinearQuantile.of(Capabilities.requireRanked(summary), Domain.Double).fold(null: Any)(line =>
      phis.map(ask(line, _))
    )
}

/** The interpolated φ-quantile, as defined by PERCENTILE_CONT. */
case object AsLinearQuantile extends OnLine(DoubleType) {
  protected def ask(line: LinearQuantile, phi: Phi): Any = DoubleKeys.value(line.value(phi))
}

/** The two numbers between which the exact interpolated φ-quantile lies. */
case object AsLinearQuantileBounds extends OnLine(Answer.bounds(DoubleType)) {
  protected def ask(line: LinearQuantile, phi: Phi): Any = {
    val (low, high) = line.bounds(phi)
    new GenericInternalRow(Array[Any](DoubleKeys.value(low), DoubleKeys.value(high)))
  }
}

/** The φ-quantile of the rows selected by a window constraint. */
final case class AsWindowQuantile(constraint: Constraint, asOf: Option[Long]) extends Answer {
  def dataType(values: KeyCodec, phi: Option[Expression]): DataType = AsQuantile.dataType(values, phi)

  def compute(summary: Summary, values: KeyCodec, phis: Phis): Any = {
    val profile = RestrictedWindow.of(WindowSketches.own(summary), constraint, asOf).profile
    if (profile.isEmpty) null else phis.map(phi => values.value(profile.quantile(phi)))
  }
}

object Answer {

  /** The struct of a lower and an upper bound of this type. */
  def bounds(value: DataType): StructType =
    StructType(Seq(StructField("low", value, nullable = false), StructField("high", value, nullable = false)))
}

/** A function call of the query, answered from the summary of a group.
  *
  * @param text      the call, for EXPLAIN
  * @param column    the index of the operator's sketch column that has the summary
  * @param valueType the type of the summarised values
  * @param phi       the quantile level, if the answer takes one
  * @param isDescending whether phi counts down from the greatest value
  */
final case class FunctionCall(
    function: String,
    text: String,
    column: Int,
    answer: Answer,
    valueType: DataType,
    phi: Option[Literal] = None,
    isDescending: Boolean = false
) {
  @transient private lazy val values: KeyCodec = KeyCodec.of(valueType).orNull
  @transient private lazy val phis: Phis =
    phi.fold(Phis.none)(p => Phis.of(p.value, p.dataType, isDescending))

  def dataType: DataType = answer.dataType(values, phi)

  def evaluate(summary: Summary): Any = answer.compute(summary, values, phis)

  def evaluate(summaries: GroupedSummaries[_ <: Summary], group: Int): Any =
    Conditions.answering(Map("function" -> function)) {
      if (answer == AsSketch) summaries.seal(group) else evaluate(summaries.ask(group))
    }
}
