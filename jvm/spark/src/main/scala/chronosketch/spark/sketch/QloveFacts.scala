package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.qlove.{QloveSketch, Query}
import chronosketch.rank.Phi

/** What a window of panes tells of itself: by which road each φ that was named is answered, and why. */
private[spark] object QloveFacts {

  /** `need`: the rank from the top of the φ-quantile. `reached`: for how many of the greatest the values kept stand. `bursty`:
    * whether neighbouring panes' greatest values differ beyond chance; NULL where none are kept. `bound`: how far the mean is off
    * at most, with 95 %, where rows are independent and alike; NULL where it is not known. All but the φ are NULL without rows.
    */
  val answer: StructType = new StructType()
    .add("phi", DoubleType, nullable = false)
    .add("method", StringType)
    .add("reason", StringType)
    .add("need", LongType)
    .add("reached", LongType)
    .add("bursty", BooleanType)
    .add("bound", DoubleType)

  def answers(window: QloveSketch): GenericArrayData =
    new GenericArrayData(window.query.phis.map(phi => row(window, phi): Any).toArray)

  private def row(window: QloveSketch, phi: Phi): GenericInternalRow = {
    val told: Seq[Any] = window.answer(phi).fold(Seq.fill[Any](6)(null)) { a =>
      val bursty = window.isBursty(phi).fold(null: Any)(b => b)
      val bound = window.bound(phi)
      Seq[Any](
        UTF8String.fromString(a.method.name),
        UTF8String.fromString(a.reason.text),
        a.need,
        a.reached,
        bursty,
        if (bound.isNaN) null else bound
      )
    }
    new GenericInternalRow((phi.decimal.doubleValue +: told).toArray[Any])
  }

  def parameters(query: Query): Seq[(String, Double)] =
    Seq("panes" -> query.panes.toDouble) ++ query.budget.map("budget" -> _.toDouble)
}
