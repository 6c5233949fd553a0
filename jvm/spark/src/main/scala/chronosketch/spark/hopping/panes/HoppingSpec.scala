package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.ObjectType

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sketch.Ask
import chronosketch.summary.Summary

/** What a task is told of the windows it makes.
  *
  * @param by      the keys
  * @param block   the number of the block of windows that a row is for; none: it is for all windows that have its pane
  * @param bounds  of a window: its start and end
  * @param merges  functions, each [[SketchMergeAggregate]] or one that Spark declares
  * @param merged  what each of them answers
  * @param answers a window's row, from its keys, bounds and merges
  * @param input   the rows' columns
  */
private[spark] final case class HoppingSpec(
    by: Seq[Attribute],
    pane: Attribute,
    block: Option[Attribute],
    hop: Hop,
    bounds: Seq[Attribute],
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[Expression],
    input: Seq[Attribute]
) {
  private val (united, others) = merges.zip(merged).partition(_._1.isInstanceOf[SketchMergeAggregate])

  /** The columns of stored sketches. */
  val sketches: Seq[Expression] = united.map { case (union, _) =>
    BindReferences.bindReference(union.asInstanceOf[SketchMergeAggregate].sketch, input)
  }

  val declared: Seq[DeclarativeAggregate] = others.map(_._1.asInstanceOf[DeclarativeAggregate])

  /** The unions of the windows' sketches, as they are in memory. */
  val unions: Seq[Attribute] = united.map(_ => AttributeReference("sketch", ObjectType(classOf[Summary]))())

  /** The answers, from a window's key, bounds, unions and declared functions' buffers; a question of a union is put to what is in memory.
    */
  val results: Seq[Expression] = {
    val union = united.map(_._2.exprId).zip(unions).toMap
    val values: Map[ExprId, Expression] = union.map { case (id, of) => id -> Sealed(of) } ++
      others.map(_._2.exprId).zip(declared.map(_.evaluateExpression))
    answers.map(_.transformDown {
      case ask @ Ask(question, (sketch: Attribute) +: rest)
          if question.readsSummary && union.contains(sketch.exprId) =>
        ask.copy(arguments = union(sketch.exprId) +: rest)
      case a: Attribute if values.contains(a.exprId) => values(a.exprId)
    })
  }
}
