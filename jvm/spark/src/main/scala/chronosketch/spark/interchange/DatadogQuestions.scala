package chronosketch.spark.interchange

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{BinaryType, DataType, DoubleType, StringType}

import chronosketch.ddsketch.DDSketches
import chronosketch.families.Capabilities
import chronosketch.interchange.datadog.{Collapsed, DatadogSketch, Library}
import chronosketch.spark.interchange.HistogramArguments._
import chronosketch.spark.sketch.{Question, SketchReader}
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec}
import chronosketch.summary.Envelope

/** `sketch_from_ddsketch(binary, library, collapsed, minimum, maximum)`: converts a DDSketch of Datadog's libraries
  * to a sketch.
  */
case object SketchFromDDSketch extends Question("sketch_from_ddsketch") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => OneOf.check(name, "library", 2, arguments(1), Library.all.map(_.name)),
    () => OneOf.check(name, "collapsed", 3, arguments(2), Collapsed.all.map(_.name)),
    () => checkNumber(4, arguments(3)),
    () => checkNumber(5, arguments(4))
  )

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  override def isUnanswered(values: Array[Any]): Boolean = values(0) == null

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val library = Library.named(OneOf.text(arguments(1))).get
    val collapsed = Collapsed.named(OneOf.text(arguments(2))).get
    val doubles = KeyCodec.of(DoubleType).get
    given =>
      Envelope.seal(
        DatadogSketch.read(
          given(0).asInstanceOf[Array[Byte]],
          library,
          limits(doubles, given(3), given(4)),
          collapsed
        )
      )
  }
}

/** `sketch_to_ddsketch(sketch, library)`: converts a ddsketch to bytes that Datadog's libraries read. */
case object SketchToDDSketch extends Question("sketch_to_ddsketch") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => OneOf.check(name, "library", 2, arguments(1), Library.all.map(_.name))
  )

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val library = Library.named(OneOf.text(arguments(1))).get
    given => DatadogSketch.write(Capabilities.requireFamily(DDSketches, reader.open(given(0))), library)
  }
}

/** Checks and reads a constant text that must be one of several names. */
private object OneOf {
  def check(
      function: String,
      name: String,
      position: Int,
      e: Expression,
      allowed: Seq[String]
  ): TypeCheckResult = Arguments.checkConstant(name, "STRING", e) {
    e.dataType match {
      case _: StringType if allowed.contains(text(e)) => TypeCheckSuccess
      case _: StringType =>
        throw Conditions.unknownChoice(function, name, Arguments.constant(e).toString, allowed, e.origin)
      case _ => Arguments.unexpectedType(position, "STRING", e)
    }
  }

  def text(e: Expression): String = Arguments.constant(e).toString.toLowerCase(Locale.ROOT)
}
