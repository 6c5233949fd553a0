package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

import chronosketch.domain.Conversion
import chronosketch.families.Capabilities
import chronosketch.spark.sql.Arguments

/** `sketch_sample(sketch, type)`: the values of a sample, in ascending order. */
case object SketchSample extends Question("sketch_sample") {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Questions.checkType(name, 2, arguments(1))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(1, Questions.settledType(arguments(1)))

  def dataType(arguments: Seq[Expression]): DataType =
    ArrayType(Questions.typeNamed(arguments(1)).dataType, containsNull = false)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1))
    values => {
      val sample = Capabilities.requireSampled(reader.open(values(0)))
      new GenericArrayData(sample.values.map { key =>
        Questions.convert(key, sample.domain, to, Conversion.Nearest, t => s"$name(sketch, '$t')")
      })
    }
  }
}
