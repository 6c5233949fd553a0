package chronosketch.spark.interchange

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.interchange.KllSketch
import chronosketch.spark.sketch.{Question, Questions}
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.Envelope

/** `sketch_from_kll(binary, type)`: converts a KLL sketch of Apache DataSketches to a sketch. */
case object SketchFromKll extends Question("sketch_from_kll") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Questions.checkType(name, 2, arguments(1)),
    () => checkItems(arguments(1))
  )

  private def checkItems(e: Expression): TypeCheckResult =
    if (KllSketch.Types.contains(Questions.typeNamed(e).domain)) TypeCheckSuccess
    else
      throw Conditions.analysisError(
        "CHRONOSKETCH_NO_KLL_TYPE",
        e.origin,
        "function" -> name,
        "type" -> Arguments.constant(e).toString
      )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(1, Questions.settledType(arguments(1)))

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val items = Questions.typeNamed(arguments(1)).domain
    given => Envelope.seal(KllSketch.read(given(0).asInstanceOf[Array[Byte]], items))
  }
}
