package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.Asked
import chronosketch.spark.sketch.{Question, SketchReader}

/** Asks a merged summary for the answer of an aggregate function. */
final case class MergedAnswer(asked: Asked) extends Question(asked.function) {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess

  def dataType(arguments: Seq[Expression]): DataType = asked.dataType

  override def explained(arguments: Seq[Expression]): Seq[Any] = arguments :+ asked.text

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => asked.of(reader.open(values(0)))
  }
}
