package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{DataType, LongType}

import chronosketch.spark.aggregate.{AsQuantile, AsQuantileBounds, SketchAggregate, SketchFunction}
import chronosketch.spark.{Arguments, Phis, SparkPrivates}

/** A function of ours over a window, as the operator runs it.
  *
  * @param element the key of a row's value; NULL where it is none, or does not pass the filter
  */
final case class SlidingCall(
    element: Expression,
    frame: FrameBounds,
    phis: Phis,
    isBounds: Boolean,
    valueType: DataType,
    dataType: DataType
)

object SlidingCall {

  /** A function of ours, whether it is covered or not. */
  object Ours {
    def unapply(e: Expression): Option[(AggregateExpression, SketchFunction, WindowSpecDefinition)] =
      e match {
        case Alias(WindowExpression(call @ AggregateExpression(f: SketchFunction, _, _, _, _), window), _) =>
          Some((call, f, window))
        case _ => None
      }
  }

  /** The call, or why Spark's own operator has to do it. */
  def of(e: NamedExpression, order: Seq[SortOrder], zone: String): Either[String, SlidingCall] = e match {
    case Ours(call, _, _) if call.isDistinct => Left("it is DISTINCT")
    case Ours(call, f: SketchAggregate, window) if f.answer == AsQuantile || f.answer == AsQuantileBounds =>
      window.frameSpecification match {
        case _ if f.frequency.nonEmpty => Left("its values have a frequency")
        case frame: SpecifiedWindowFrame =>
          for {
            bounds <- FrameBounds.of(frame, order, zone)
            key <- KeyOf.of(f.value).toRight(s"its values are ${f.value.dataType.sql}")
          } yield SlidingCall(
            call.filter.fold(key)(If(_, key, Literal(null, LongType))),
            bounds,
            Phis.of(Arguments.constant(f.phi.get), f.phi.get.dataType),
            f.answer == AsQuantileBounds,
            f.value.dataType,
            f.dataType
          )
        case other => Left(s"its frame is ${other.sql}")
      }
    case _ => Left("its answer is a sketch")
  }

  /** What tasks are told of calls over one window. Calls of the same values share them, calls of the same values and frames share
    * what slides.
    */
  def spec(
      calls: Seq[SlidingCall],
      partitionKeys: Seq[Expression],
      order: Seq[SortOrder],
      input: Seq[Attribute],
      isOrdered: Boolean,
      metrics: Map[String, SQLMetric]
  ): SlidingSpec = {
    def bind(e: Expression): Expression = BindReferences.bindReference(e, input)
    val elements = distinct(calls.map(_.element))(_ semanticEquals _)
    val frames = calls.map(_.frame).distinct
    def place(call: SlidingCall): (Int, Int) =
      (elements.indexWhere(_.semanticEquals(call.element)), frames.indexOf(call.frame))
    val structures = calls.map(place).distinct.map { case at @ (element, frame) =>
      Structure(element, frame, calls.filter(place(_) == at).flatMap(_.phis.all).filter(_ != null).distinct)
    }
    val answers = calls.map { call =>
      val structure = structures.indexWhere(s => (s.element, s.frame) == place(call))
      val places = call.phis.all.map(structures(structure).phis.indexOf(_))
      SlidingAnswer(structure, places, call.phis, call.isBounds, call.valueType, call.dataType)
    }
    val isPlain = answers.forall(_.isPlain)
    // without answers of its own a row has room for its number
    val room = if (isPlain) answers.map(_.dataType) else Seq(LongType)
    val bound = BindReferences.bindReferences(order, input)
    SlidingSpec(
      input.length,
      input.map(bind(_)) ++ room.map(Literal(null, _)),
      partitionKeys.map(k => bind(SparkPrivates.normalizeFloatingNumbers(k))),
      orderKey(bound),
      order.headOption.forall(_.nullOrdering == NullsFirst),
      elements.map(bind(_)),
      frames,
      structures,
      answers,
      partitionKeys.map(k => SortOrder(bind(k), Ascending)) ++ bound,
      bound,
      isOrdered,
      Option.when(!isPlain)(
        input.map(bind(_)) ++ answers.zipWithIndex.map { case (a, i) =>
          BoundReference(input.length + room.length + i, a.dataType, nullable = true)
        }
      ),
      metrics
    )
  }

  /** 64 bits that sort as ORDER BY does, NULLs aside; none where it does not fit them. */
  def orderKey(order: Seq[SortOrder]): Option[Expression] = order match {
    case Seq(one) => KeyOf.of(one.child, isDescending = !one.isAscending)
    case _ => None
  }

  private def distinct[A](all: Seq[A])(same: (A, A) => Boolean): Seq[A] =
    all.foldLeft(Seq.empty[A])((seen, a) => if (seen.exists(same(_, a))) seen else seen :+ a)
}
