package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{BinaryType, DataType, LongType}

import chronosketch.spark.aggregate.{
  AsQuantileBounds,
  AsSketch,
  SketchAggregate,
  SketchFunction,
  SketchMergeAggregate,
  Values
}
import chronosketch.spark.sql.{Arguments, Phis, SparkPrivates}

/** A function over a window, as the operator runs it.
  *
  * @param elements words of a row's values, or bytes: the first NULL where there is none, or it does not pass the filter
  * @param asks     null for a φ that is NULL
  * @param read     how the answer is read, from which structure and which of its words
  * @param finish   what is made of it then
  * @param certified how frames too large to be kept are answered, where they may be otherwise than exactly
  * @param refused   why the structure of the setting is not the one that slides
  */
final case class SlidingCall(
    kind: SlidingKind,
    elements: Seq[Expression],
    frame: FrameBounds,
    asks: Seq[Ask],
    read: (Int, Seq[Int]) => SlidingAnswer,
    finish: Option[Expression => Expression] = None,
    certified: Option[Certified] = None,
    refused: Option[String] = None
) {

  /** Which structure slides, for EXPLAIN. */
  def text: String = (kind.text +: certified.map(_.text).toSeq).mkString(", ") +
    refused.fold("")(why => s" (not ${SlidingConf.structure}: $why)")
}

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
    case Ours(call, f: SketchAggregate, window) =>
      for {
        bounds <- frame(window, order, zone)
        key <- KeyOf.of(f.value).toRight(s"its values are ${f.value.dataType.sql}")
      } yield summarised(f, counted(key, f.frequency, call.filter), bounds)
    case Ours(call, f: SketchMergeAggregate, window) =>
      for {
        bounds <- frame(window, order, zone)
        _ <- FrameBounds.slides(bounds)
        kind = if (SlidingConf.structure == Certified.Daba) SlidingKind.DabaUnions else SlidingKind.Unions
      } yield SlidingCall(
        kind,
        // a NULL that has no type
        Seq(filtered(
          if (f.sketch.dataType == BinaryType) f.sketch else Cast(f.sketch, BinaryType),
          call.filter
        )),
        bounds,
        Seq(Ask.Union(f.column(None).context)),
        SketchAnswer(_, _),
        refused = Certified.refused(SlidingConf.structure, kind)
      )
    case Ours(call, _, _) => Left(s"${call.aggregateFunction.prettyName} does not slide")
    case _ =>
      SparkCall.of(e, order, zone).map(c =>
        c.copy(refused = Certified.refused(SlidingConf.structure, c.kind))
      )
  }

  def frame(
      window: WindowSpecDefinition,
      order: Seq[SortOrder],
      zone: String
  ): Either[String, FrameBounds] = window.frameSpecification match {
    case frame: SpecifiedWindowFrame => FrameBounds.of(frame, order, zone)
    case other => Left(s"its frame is ${other.sql}")
  }

  private def summarised(f: SketchAggregate, elements: Seq[Expression], frame: FrameBounds): SlidingCall = {
    val column = f.column(None)
    (f.answer, column.collected) match {
      case (AsSketch, values: Values) =>
        val ask = Ask.Sketch(values, column.context)
        SlidingCall(
          SlidingKind.Sketches,
          elements,
          frame,
          Seq(ask),
          SketchAnswer(_, _),
          refused = Certified.refused(SlidingConf.structure, SlidingKind.Sketches)
        )
      case _ =>
        val phis = Phis.of(Arguments.constant(f.phi.get), f.phi.get.dataType)
        val isBounds = f.answer == AsQuantileBounds
        val certified = if (f.frequency.isEmpty) Certified.of(f.epsilon, frame) else None
        val call = quantiles(elements.head, frame, phis, isBounds, f.value.dataType, f.dataType, certified)
        if (f.frequency.isEmpty)
          call.copy(refused = Certified.refused(SlidingConf.structure, f.epsilon, frame))
        else
          call.copy(
            kind = SlidingKind.CopiesQuantiles,
            elements = elements,
            asks = phis.all.map(phi => if (phi == null) null else Ask.CopiesQuantile(phi, column.context)),
            refused = Certified.refused(SlidingConf.structure, SlidingKind.CopiesQuantiles)
          )
    }
  }

  /** Keys that count at all, and how often, where that is told. */
  private def counted(
      key: Expression,
      frequency: Option[Expression],
      filter: Option[Expression]
  ): Seq[Expression] = frequency match {
    case None => Seq(filtered(key, filter))
    case Some(f) =>
      val copies = if (f.dataType == LongType) f else Cast(f, LongType)
      val isNone = Or(IsNull(copies), EqualTo(copies, Literal(0L)))
      Seq(filtered(If(isNone, Literal(null, LongType), key), filter), copies)
  }

  def quantiles(
      element: Expression,
      frame: FrameBounds,
      phis: Phis,
      isBounds: Boolean,
      valueType: DataType,
      dataType: DataType,
      certified: Option[Certified]
  ): SlidingCall = SlidingCall(
    SlidingKind.Quantiles,
    Seq(element),
    frame,
    phis.all.map(phi => if (phi == null) null else Ask.Quantile(phi)),
    QuantileAnswer(_, _, phis, isBounds, valueType, dataType),
    certified = certified
  )

  def filtered(element: Expression, filter: Option[Expression]): Expression =
    filter.fold(element)(If(_, element, Literal(null, element.dataType)))

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
    val elements = distinct(calls.flatMap(_.elements))(_ semanticEquals _)
    val frames = calls.map(_.frame).distinct
    def place(call: SlidingCall): Structure = Structure(
      call.kind,
      call.elements.map(e => elements.indexWhere(_.semanticEquals(e))),
      frames.indexOf(call.frame),
      call.certified,
      Nil
    )
    val placed = calls.map(place)
    val structures = placed.distinct.map { at =>
      val asks = calls.zip(placed).collect { case (call, `at`) => call.asks }.flatten
      at.copy(asks = asks.filter(_ != null).distinct)
    }
    val answers = calls.zip(placed).map { case (call, at) =>
      val structure = placed.distinct.indexOf(at)
      call.read(structure, call.asks.map(structures(structure).asks.indexOf(_)))
    }
    val isPlain = answers.forall(_.isPlain) && calls.forall(_.finish.isEmpty)
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
        input.map(bind(_)) ++ calls.zip(answers).zipWithIndex.map { case ((call, a), i) =>
          val answer = BoundReference(input.length + room.length + i, a.dataType, nullable = true)
          call.finish.fold[Expression](answer)(_(answer))
        }
      ),
      metrics
    )
  }

  /** 64 bits that sort as ORDER BY does, NULLs aside where it is one column; none where it does not fit them. */
  def orderKey(order: Seq[SortOrder]): Option[Expression] = order match {
    case Seq() => None
    case Seq(one) => KeyOf.of(one.child, isDescending = !one.isAscending)
    case several => PackedKey.of(several)
  }

  private def distinct[A](all: Seq[A])(same: (A, A) => Boolean): Seq[A] =
    all.foldLeft(Seq.empty[A])((seen, a) => if (seen.exists(same(_, a))) seen else seen :+ a)
}
