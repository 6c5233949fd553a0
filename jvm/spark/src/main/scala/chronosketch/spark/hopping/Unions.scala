package chronosketch.spark.hopping

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.sliding.{Folds, Frames, SketchFold}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.{Arguments, Conditions}
import chronosketch.summary.Summary

/** The unions of a column of stored sketches over frames of rows; NULL, and the empty bytes that a task has for it, are skipped, of none
  * the union is null.
  */
private[hopping] final class Unions(sketch: Expression) {
  private val context =
    Map("function" -> SketchMergeAggregate.Name, "sketch" -> Arguments.written("sketch", sketch))
  private val folds = new Folds[Summary]

  def begin(rows: ArrayBuffer[InternalRow], from: Array[Int], until: Array[Int], count: Int): Unit = {
    val stored = new ArrayBuffer[Array[Byte]]
    // how many sketches come before each row
    val before = new Array[Int](rows.length + 1)
    var i = 0
    while (i < rows.length) {
      val bytes = sketch.eval(rows(i)).asInstanceOf[Array[Byte]]
      if (bytes != null && bytes.length > 0) stored += bytes
      before(i + 1) = stored.length
      i += 1
    }
    def counted(at: Array[Int]): Array[Int] = Array.tabulate(count)(i => before(at(i)))
    folds.begin(new Frames(counted(from), counted(until), count), new SketchFold(stored(_)))
  }

  /** Of the next frame: to be looked at before the next call, and not changed. */
  def next(): Summary = Conditions.answering(context)(folds.next())
}
