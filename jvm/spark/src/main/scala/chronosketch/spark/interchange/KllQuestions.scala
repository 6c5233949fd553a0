package chronosketch.spark.interchange

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.families.Capabilities
import chronosketch.interchange.{KllExport, KllSketch}
import chronosketch.spark.sketch.{Question, Questions, SketchReader}
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

/** `sketch_to_kll(sketch, k)`: converts a sketch to the bytes of a KLL sketch of Apache DataSketches. */
case object SketchToKll extends Question("sketch_to_kll") {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () =>
      if (isLeftOut(arguments(1))) TypeCheckSuccess
      else Arguments.checkWhole("k", KllExport.LeastK, KllExport.GreatestK, 2, arguments(1))
  )

  private def isLeftOut(k: Expression): Boolean = k.foldable && Arguments.constant(k) == null

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  override def isUnanswered(values: Array[Any]): Boolean = values(0) == null

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val k = Option.unless(isLeftOut(arguments(1)))(
      Arguments.constant(arguments(1)).asInstanceOf[Number].intValue
    )
    given => KllExport.write(Capabilities.requireRanked(reader.open(given(0))), k)
  }
}
