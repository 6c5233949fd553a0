package chronosketch.spark.hopping.stream

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.ObjectType

import chronosketch.sliding.fold.Folds
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.hopping.panes.{BufferFold, NumberedFrames, Sealed, Unions}
import chronosketch.summary.Summary

/** What the parts of some panes make together, frame after frame.
  *
  * @param before columns of a frame's row before what is made of its parts
  */
private[stream] final class MergedParts(
    merges: Seq[Expression],
    parts: Seq[Attribute],
    before: Seq[Attribute],
    as: (Expression, Attribute) => Expression
) {
  private val sketches = merges.collect { case union: SketchMergeAggregate =>
    new Unions(BindReferences.bindReference(union.sketch: Expression, parts))
  }.toArray
  private val declared = merges.collect { case f: DeclarativeAggregate => f }

  private var rows: ArrayBuffer[InternalRow] = _
  private val fold = new BufferFold(declared, parts, rows(_))
  private val buffers = new Folds[InternalRow]
  private val made = new GenericInternalRow(sketches.length)
  private val first, all = new JoinedRow

  private val result = {
    val unions = sketches.toSeq.map(_ => AttributeReference("union", ObjectType(classOf[Summary]))())
    val union = unions.iterator.map(Sealed(_))
    val merged = merges.zip(parts).map {
      case (_: SketchMergeAggregate, _) => union.next()
      case (f, part) => as(f.asInstanceOf[DeclarativeAggregate].evaluateExpression, part)
    }
    UnsafeProjection.create(before ++ merged, before ++ unions ++ declared.flatMap(_.aggBufferAttributes))
  }

  /** Of the rows of each of some windows. */
  def begin(of: ArrayBuffer[InternalRow], windows: NumberedFrames): Unit = {
    rows = of
    buffers.begin(windows.frames, fold)
    // each row is an element of its own
    sketches.foreach(_.begin(of, _.toLong, windows))
  }

  /** Of the next frame; good until the one after it is asked for. */
  def next(columns: InternalRow): UnsafeRow = {
    var s = 0
    while (s < sketches.length) {
      made.update(s, sketches(s).next())
      s += 1
    }
    result(all(first(columns, made), buffers.next()))
  }
}
