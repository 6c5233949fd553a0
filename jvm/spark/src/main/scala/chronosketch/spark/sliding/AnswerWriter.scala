package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.catalyst.expressions.{
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.MathUtils

import chronosketch.domain.DoubleKeys
import chronosketch.spark.sql.SparkPrivates

/** Gives a row its answers: in the room that it has for them where each takes 64 bits, in a row of their own else. */
final class AnswerWriter(spec: SlidingSpec, window: SlidingWindow) {
  private val answers = spec.answers.toArray
  private val structures = answers.map(_.structure)
  private val places = answers.map(a => math.max(a.places.headOption.getOrElse(0), 0))
  private val kinds = answers.map(AnswerWriter.kind)

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
        values.update(a, if (hasValue(a, i)) answers(a).value(window, i) else null)
        a += 1
      }
      project(joined(row, values))
    }

  /** Whether there is an answer, where that is no error. */
  private def hasValue(a: Int, i: Int): Boolean = {
    val outcome = window.outcome(structures(a), i, places(a))
    if (outcome > Outcome.Null) AnswerWriter.fail(outcome)
    outcome == Outcome.Value
  }

  private def set(row: UnsafeRow, column: Int, a: Int, i: Int): Unit =
    if (!hasValue(a, i)) row.setNullAt(column)
    else {
      val word = window.answer(structures(a), i, places(a))
      val kind = kinds(a)
      if (kind == AnswerWriter.Wide) row.setLong(column, word)
      else if (kind == AnswerWriter.OfDouble) row.setDouble(column, DoubleKeys.value(word))
      else if (kind == AnswerWriter.OfDoubleBits)
        row.setDouble(column, java.lang.Double.longBitsToDouble(word))
      else {
        row.setLong(column, 0L) // so that equal rows have equal bytes
        if (kind == AnswerWriter.OfInt) row.setInt(column, word.toInt)
        else if (kind == AnswerWriter.OfFloat) row.setFloat(column, DoubleKeys.value(word).toFloat)
        else if (kind == AnswerWriter.OfFloatBits)
          row.setFloat(column, java.lang.Double.longBitsToDouble(word).toFloat)
        else if (kind == AnswerWriter.OfShort) row.setShort(column, word.toShort)
        else row.setByte(column, word.toByte)
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
  val OfDoubleBits = 6
  val OfFloatBits = 7

  def kind(answer: SlidingAnswer): Int = CodeGenerator.javaType(answer.dataType) match {
    case CodeGenerator.JAVA_DOUBLE => if (answer.isKey) OfDouble else OfDoubleBits
    case CodeGenerator.JAVA_INT => OfInt
    case CodeGenerator.JAVA_FLOAT => if (answer.isKey) OfFloat else OfFloatBits
    case CodeGenerator.JAVA_SHORT => OfShort
    case CodeGenerator.JAVA_BYTE => OfByte
    case _ => Wide
  }

  /** Spark's own errors. */
  def fail(outcome: Int): Nothing = {
    if (outcome == Outcome.Overflow) MathUtils.addExact(Long.MaxValue, 1L, null)
    throw SparkPrivates.divideByZero()
  }
}
