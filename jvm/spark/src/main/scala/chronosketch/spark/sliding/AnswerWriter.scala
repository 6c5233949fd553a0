package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}

import chronosketch.domain.DoubleKeys

/** Gives a row its answers: in the room that it has for them where each takes 64 bits, in a row of their own else. */
final class AnswerWriter(spec: SlidingSpec, window: SlidingWindow) {
  private val answers = spec.answers.toArray
  private val structures = answers.map(_.structure)
  private val places = answers.map(_.places.head)
  private val kinds = answers.map(a => AnswerWriter.kind(CodeGenerator.javaType(a.valueType)))

  private val project = spec.result.map(UnsafeProjection.create(_)).orNull
  private val values = new GenericInternalRow(answers.length)
  private val joined = new JoinedRow

  /** The i-th row of the segment. */
  def write(row: UnsafeRow, i: Int): InternalRow =
    if (project == null) {
      var a = 0
      while (a < answers.length) {
        set(row, spec.width + a, a, i)
        a += 1
      }
      row
    } else {
      var a = 0
      while (a < answers.length) {
        values.update(a, if (window.isEmpty(structures(a), i)) null else boxed(a, i))
        a += 1
      }
      project(joined(row, values))
    }

  private def set(row: UnsafeRow, column: Int, a: Int, i: Int): Unit =
    if (window.isEmpty(structures(a), i)) row.setNullAt(column)
    else {
      val key = window.answer(structures(a), i, places(a))
      val kind = kinds(a)
      if (kind == AnswerWriter.Wide) row.setLong(column, key)
      else if (kind == AnswerWriter.OfDouble) row.setDouble(column, DoubleKeys.value(key))
      else {
        row.setLong(column, 0L) // so that equal rows have equal bytes
        if (kind == AnswerWriter.OfInt) row.setInt(column, key.toInt)
        else if (kind == AnswerWriter.OfFloat) row.setFloat(column, DoubleKeys.value(key).toFloat)
        else if (kind == AnswerWriter.OfShort) row.setShort(column, key.toShort)
        else row.setByte(column, key.toByte)
      }
    }

  private def boxed(a: Int, i: Int): Any = {
    val answer = answers(a)
    answer.phis.mapPlaces { place =>
      val value = answer.values.value(window.answer(answer.structure, i, answer.places(place)))
      if (answer.isBounds) new GenericInternalRow(Array[Any](value, value)) else value
    }
  }
}

private object AnswerWriter {
  // long, and decimals of up to 18 digits, whose unscaled value is their key
  val Wide = 0
  val OfDouble = 1
  val OfInt = 2
  val OfFloat = 3
  val OfShort = 4
  val OfByte = 5

  def kind(javaType: String): Int = javaType match {
    case CodeGenerator.JAVA_DOUBLE => OfDouble
    case CodeGenerator.JAVA_INT => OfInt
    case CodeGenerator.JAVA_FLOAT => OfFloat
    case CodeGenerator.JAVA_SHORT => OfShort
    case CodeGenerator.JAVA_BYTE => OfByte
    case _ => Wide
  }
}
