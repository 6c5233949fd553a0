package chronosketch.spark.sliding.functions

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import chronosketch.spark.aggregate.{ExtremeValues, SketchFunction}
import chronosketch.spark.sliding.frames.{FrameBounds, Unbounded}
import chronosketch.spark.sliding.structures.{AnswerForm, FrameStatistic}

/** Tells how a function slides.
  *
  * @param elements   the values of a row that it inserts; the row is skipped if the first is NULL
  * @param statistics the statistics of these values, all answered by one structure
  * @param form       how the answer is read
  */
final case class Sliding(elements: Seq[Expression], statistics: Seq[FrameStatistic], form: AnswerForm)

/** Makes sliding calls of functions over windows. */
object SlidingFunctions {

  /** The call of a function over a window, or why Spark's own operator must run it. */
  def call(
      window: WindowCall,
      order: Seq[SortOrder],
      zone: String,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    if (window.call.isDistinct) Left("it is DISTINCT")
    else
      window.frame(order, zone).flatMap { frame =>
        window.function match {
          case ours: SketchFunction => SketchCalls.of(window, ours, frame, choice)
          case ends: ExtremeValues => EndCalls.of(window, ends, frame, choice)
          case _ => callOfSpark(window, frame, choice)
        }
      }

  private def callOfSpark(
      window: WindowCall,
      frame: FrameBounds,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    for {
      _ <- slides(window, frame)
      sliding <- SparkFunctions.sliding(window.function)
    } yield {
      val statistics =
        if (sliding.statistics.size == 1) sliding.statistics.map(choice.ofNumbers) else sliding.statistics
      val kind = statistics.head.kind
      SlidingCall(
        window.source,
        window.filtered(sliding.elements.head) +: sliding.elements.tail,
        frame,
        kind,
        statistics.map(Some(_)),
        sliding.form,
        None,
        choice.refusedFor(sliding.statistics.head)
      )
    }

  /** Checks that our operator pays off. For a frame that only grows it does if Spark's operator evaluates each row from scratch. */
  private def slides(window: WindowCall, frame: FrameBounds): Either[String, Unit] = window.function match {
    case _: DeclarativeAggregate => FrameBounds.slides(frame)
    case _ if frame.upper == Unbounded => FrameBounds.slides(frame)
    case _ => Right(())
  }
}
