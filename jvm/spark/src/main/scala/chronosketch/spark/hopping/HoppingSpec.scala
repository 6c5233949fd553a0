package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.aggregate.SketchMergeAggregate

/** What a task is told of the windows it makes.
  *
  * @param bounds of a window: its start and end
  * @param merges each the alias of a function, [[SketchMergeAggregate]] or one that Spark declares
  * @param input  the rows' columns
  */
private[hopping] final case class HoppingSpec(
    by: Seq[Attribute],
    pane: Attribute,
    hop: Hop,
    bounds: Seq[Attribute],
    merges: Seq[Alias],
    input: Seq[Attribute]
) {
  private val functions: Seq[Expression] = merges.map(_.child)

  /** The columns of stored sketches. */
  val sketches: Seq[Expression] = functions.collect { case union: SketchMergeAggregate =>
    BindReferences.bindReference(union.sketch, input)
  }

  val declared: Seq[DeclarativeAggregate] = functions.collect { case f: DeclarativeAggregate => f }

  /** The unions of the windows' sketches. */
  val unions: Seq[Attribute] = sketches.map(_ => AttributeReference("union", BinaryType)())

  /** A window's row, from its key, bounds, unions and declared functions' buffers. */
  val results: Seq[Expression] = {
    val union = unions.iterator
    by ++ bounds ++ functions.map {
      case _: SketchMergeAggregate => union.next()
      case f => f.asInstanceOf[DeclarativeAggregate].evaluateExpression
    }
  }
}
