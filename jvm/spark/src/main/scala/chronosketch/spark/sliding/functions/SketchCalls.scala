package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{ArrayType, BinaryType, LongType}

import chronosketch.spark.aggregate.{
  AsQuantileBounds,
  AsSketch,
  ExtremeValues,
  OnLine,
  SketchAggregate,
  SketchFunction,
  SketchMergeAggregate,
  Values
}
import chronosketch.spark.rows.KeyOf
import chronosketch.spark.sliding.frames.FrameBounds
import chronosketch.spark.sliding.structures._
import chronosketch.spark.sql.Arguments

/** Makes sliding calls of our own functions. */
private object SketchCalls {

  /** The largest n of n least values. Every element moves n pointers, so that Spark's own operator is as fast if n is larger. */
  private val MostExtremes = 64

  /** The call, or why Spark's own operator must run the function. */
  def of(
      window: WindowCall,
      function: SketchFunction,
      frame: FrameBounds,
      choice: StructureChoice
  ): Either[String, SlidingCall] = function match {
    case f: SketchAggregate if f.answer.isInstanceOf[OnLine] =>
      Left("interpolation => 'linear' can't slide")
    case f: SketchAggregate =>
      KeyOf.of(f.value).toRight(s"its values are ${f.value.dataType.sql}").map(
        summarised(window, f, _, frame, choice)
      )
    case f: SketchMergeAggregate => FrameBounds.slides(frame).map(_ => union(window, f, frame, choice))
    case _ => Left(s"${window.function.prettyName} can't slide")
  }

  private def summarised(
      window: WindowCall,
      f: SketchAggregate,
      key: Expression,
      frame: FrameBounds,
      choice: StructureChoice
  ): SlidingCall = {
    val column = f.column(None)
    val elements = counted(window, key, f.frequency)
    def call(
        structure: Structure[_ <: FrameStatistic],
        statistics: Seq[Option[FrameStatistic]],
        form: AnswerForm
    ): SlidingCall =
      SlidingCall(
        window.source,
        elements,
        frame,
        structure,
        statistics,
        form,
        None,
        choice.refusedFor(structure)
      )
    (f.answer, column.kind) match {
      case (AsSketch, values: Values) =>
        call(SketchStructure, Seq(Some(KeySketch(values, column.context))), SketchForm)
      case _ =>
        val shares = Arguments.constant(f.phi.get)
        val phis = f.phis.all.map(Option(_))
        val isBounds = f.answer == AsQuantileBounds
        val form = QuantileForm(shares, f.phi.get.dataType, isBounds, f.value.dataType, f.dataType)
        if (f.frequency.nonEmpty)
          call(FrequencyQuantileStructure, phis.map(_.map(FrequencyQuantile(_, column.context))), form)
        else
          call(QuantileStructure, phis.map(_.map(KeyQuantile(_))), form).copy(
            approximation = choice.approximation(f.epsilon, f.tail.nonEmpty, frame, isBounds),
            refused = choice.refusedForQuantiles(f.epsilon, f.tail.nonEmpty, frame, isBounds)
          )
    }
  }

  /** The key of a row, and its frequency if there is one. The key is NULL if the frequency is NULL or 0, so that the row is skipped. */
  private def counted(window: WindowCall, key: Expression, frequency: Option[Expression]): Seq[Expression] =
    frequency match {
      case None => Seq(window.filtered(key))
      case Some(f) =>
        val copies = if (f.dataType == LongType) f else Cast(f, LongType)
        val isNone = Or(IsNull(copies), EqualTo(copies, Literal(0L)))
        Seq(window.filtered(If(isNone, Literal(null, LongType), key)), copies)
    }

  private def union(
      window: WindowCall,
      f: SketchMergeAggregate,
      frame: FrameBounds,
      choice: StructureChoice
  ): SlidingCall = {
    val statistic = FrameUnion(choice.isDaba, f.column(None).context)
    // a NULL literal may have no type
    val sketch = if (f.sketch.dataType == BinaryType) f.sketch else Cast(f.sketch, BinaryType)
    SlidingCall(
      window.source,
      Seq(window.filtered(sketch)),
      frame,
      statistic.structure,
      Seq(Some(statistic)),
      SketchForm,
      None,
      choice.refusedFor(statistic.structure)
    )
  }

  /** The call of a function that returns the n least or the n greatest values, or why Spark's own operator must run it. */
  def ofExtremes(
      window: WindowCall,
      function: ExtremeValues,
      frame: FrameBounds,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    for {
      key <- KeyOf.of(function.value).toRight(s"its values are ${function.value.dataType.sql}")
      _ <- Either.cond(function.count <= MostExtremes, (), s"n is ${function.count}, above $MostExtremes")
    } yield SlidingCall(
      window.source,
      Seq(window.filtered(key)),
      frame,
      EndStructure,
      Some(EndCount) +: (1 to function.count).map(place => Some(EndKey(place, function.isGreatest))),
      EndsForm(ArrayType(function.value.dataType, containsNull = false)),
      None,
      choice.refusedFor(EndStructure)
    )
}
