package chronosketch.spark.sliding.task

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

import chronosketch.spark.rows.OrderKey
import chronosketch.spark.sliding.frames.{FrameBounds, Peers}
import chronosketch.spark.sliding.functions.SlidingCall
import chronosketch.spark.sliding.rows.{Arrival, RowSpec}
import chronosketch.spark.sliding.structures.{AnswerSpec, SliderSpec}
import chronosketch.spark.sql.SparkPrivates

/** The part of the plan that a task needs.
  *
  * @param result a row with its answers, if they can't all be set in place; bound to the row with room, followed by the answers
  */
final case class SlidingSpec(
    rows: RowSpec,
    frames: Seq[FrameBounds],
    sliders: Seq[SliderSpec],
    answers: Seq[AnswerSpec],
    result: Option[Seq[Expression]],
    metrics: Map[String, SQLMetric]
) {

  /** The bytes of memory for a row: its columns, its frames, and its answers in a segment. */
  def rowBytes: Long = {
    val answered = sliders.map { s =>
      9L + (if (s.elements.length > 1) 24L else 8L) + 8L * s.statistics.length * s.structure.words
    }
    16L + 16L * rows.elements.length + 16L * frames.length + answered.sum
  }
}

object SlidingSpec {

  /** Plans calls over one window. Calls on the same values share these. If they also have the same frame and structure, they share the slider. */
  def of(
      calls: Seq[SlidingCall],
      partitionKeys: Seq[Expression],
      order: Seq[SortOrder],
      input: Seq[Attribute],
      arrival: Arrival,
      isRanged: Boolean,
      metrics: Map[String, SQLMetric]
  ): SlidingSpec = {
    def bind(e: Expression): Expression = BindReferences.bindReference(e, input)
    val elements = distinct(calls.flatMap(_.elements))
    val frames = calls.map(_.frame).distinct
    // sliders without statistics: calls with the same one share it
    val bases = calls.map { call =>
      SliderSpec(
        call.structure,
        call.elements.map(e => elements.indexWhere(_.semanticEquals(e))),
        frames.indexOf(call.frame),
        call.approximation,
        Nil
      )
    }
    val sliders = bases.distinct.map { base =>
      val requested = calls.zip(bases).collect { case (call, `base`) => call.statistics.flatten }.flatten
      base.copy(statistics = requested.distinct)
    }
    val answers = calls.zip(bases).map { case (call, base) =>
      val slider = bases.distinct.indexOf(base)
      val places = call.statistics.map(_.fold(-1)(sliders(slider).statistics.indexOf(_)))
      AnswerSpec(call.form, slider, places)
    }
    val isPlain = answers.forall(_.form.isPlain) && calls.forall(_.isWhole)
    // RowSorter needs a column for the row's number even if answers are not set in place
    val room = if (isPlain) answers.map(_.form.dataType) else Seq(LongType)
    val empty = room.map(Literal(null, _))
    val bound = BindReferences.bindReferences(order, input)
    val key = OrderKey.of(bound)
    val rows = RowSpec(
      input.length,
      // a row of a range has its place after its columns
      input.map(bind) ++ (if (isRanged) BoundReference(input.length, LongType, nullable = false) +: empty.tail
                          else empty),
      partitionKeys.map(k => bind(SparkPrivates.normalizeFloatingNumbers(k))),
      key,
      order.headOption.forall(_.nullOrdering == NullsFirst),
      elements.map(bind),
      partitionKeys.map(k => SortOrder(bind(k), Ascending)) ++ bound,
      bound,
      arrival,
      comparesPeers =
        key.isEmpty && order.nonEmpty && frames.exists(f => f.lower == Peers || f.upper == Peers),
      isRanged
    )
    val result = Option.when(!isPlain) {
      val made = calls.zip(answers).zipWithIndex.map { case ((call, answer), i) =>
        call.result(BoundReference(input.length + room.length + i, answer.form.dataType, nullable = true))
      }
      input.map(bind) ++ made
    }
    SlidingSpec(rows, frames, sliders, answers, result, metrics)
  }

  private def distinct(all: Seq[Expression]): Seq[Expression] =
    all.foldLeft(Seq.empty[Expression])((seen, e) =>
      if (seen.exists(_.semanticEquals(e))) seen else seen :+ e
    )
}
