package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.summary.Description

/** Converts the description of how a sketch answers each φ named in advance to rows. */
private[spark] object NamedAnswers {

  /** The fields of [[Description.Way]], after the φ. Without rows, all fields but the φ are NULL. */
  val row: StructType = new StructType()
    .add("phi", DoubleType, nullable = false)
    .add("method", StringType)
    .add("reason", StringType)
    .add("need", LongType)
    .add("reached", LongType)
    .add("bursty", BooleanType)
    .add("bound", DoubleType)

  def rows(answers: Seq[Description.Answered]): GenericArrayData =
    new GenericArrayData(answers.map(rowOf(_): Any).toArray)

  private def rowOf(answer: Description.Answered): GenericInternalRow = {
    val way: Seq[Any] = answer.by.fold(Seq.fill[Any](6)(null)) { w =>
      Seq[Any](
        UTF8String.fromString(w.method),
        UTF8String.fromString(w.reason),
        w.need,
        w.reached,
        w.bursty.fold(null: Any)(b => b),
        w.bound.fold(null: Any)(b => b)
      )
    }
    new GenericInternalRow((answer.phi.decimal.doubleValue +: way).toArray[Any])
  }
}
