package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.Asked
import chronosketch.spark.sketch.{Question, SketchReader}

/** What an aggregate function answers, put to a summary that was merged elsewhere. */
final case class Answered(asked: Asked) extends Question(asked.function) {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess

  def dataType(arguments: Seq[Expression]): DataType = asked.dataType

  override def explained(arguments: Seq[Expression]): Seq[Any] = arguments :+ asked.text

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => asked.of(reader.open(values(0)))
  }
}
