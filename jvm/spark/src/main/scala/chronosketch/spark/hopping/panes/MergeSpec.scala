package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.{BinaryType, ObjectType}

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sketch.Ask
import chronosketch.summary.Summary

/** Tells a task how to merge panes.
  *
  * @param input    the columns of a pane's row
  * @param supplied the columns that the caller supplies for each frame: its keys, start and end
  * @param merges   aggregate functions of the input: [[SketchMergeAggregate]] or Spark's declarative functions
  * @param merged   the result of each function
  * @param answers  a frame's output row, computed from the supplied columns and the merged ones
  */
private[spark] final case class MergeSpec(
    input: Seq[Attribute],
    supplied: Seq[Attribute],
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[Expression]
) {
  private val (united, others) = merges.zip(merged).partition(_._1.isInstanceOf[SketchMergeAggregate])

  /** The inputs with stored sketches. */
  val sketches: Seq[Expression] = united.map { case (union, _) =>
    BindReferences.bindReference(union.asInstanceOf[SketchMergeAggregate].sketch, input)
  }

  val declared: Seq[DeclarativeAggregate] = others.map(_._1.asInstanceOf[DeclarativeAggregate])

  /** Whether a question reads each union in memory. Other unions are only needed as bytes. */
  val areAsked: Seq[Boolean] = united.map { case (_, merged) =>
    answers.exists(_.exists {
      case Ask(question, (sketch: Attribute) +: _, _) =>
        question.readsSummary && sketch.exprId == merged.exprId
      case _ => false
    })
  }

  /** The unions of a frame's sketches, in memory or as bytes. */
  val unions: Seq[Attribute] = areAsked.map { isAsked =>
    AttributeReference("sketch", if (isAsked) ObjectType(classOf[Summary]) else BinaryType)()
  }

  /** The input columns of [[results]]. */
  val resultInput: Seq[Attribute] = supplied ++ unions ++ declared.flatMap(_.aggBufferAttributes)

  /** The answers. A question about a union reads the summary in memory; a union that is an answer itself becomes bytes. */
  val results: Seq[Expression] = {
    val union = united.map(_._2.exprId).zip(unions).toMap
    val values: Map[ExprId, Expression] = union.map { case (id, column) =>
      id -> (if (column.dataType == BinaryType) column else SummaryBytes(column))
    } ++
      others.map(_._2.exprId).zip(declared.map(_.evaluateExpression))
    answers.map(_.transformDown {
      case ask @ Ask(question, (sketch: Attribute) +: rest, _)
          if question.readsSummary && union.contains(sketch.exprId) =>
        ask.copy(arguments = union(sketch.exprId) +: rest)
      case a: Attribute if values.contains(a.exprId) => values(a.exprId)
    })
  }
}
