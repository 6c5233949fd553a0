package chronosketch.spark.sliding.task

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
import chronosketch.spark.rows.RowLimit
import chronosketch.spark.sliding.structures.{AnswerForm, Outcome, SegmentAnswers}
import chronosketch.spark.sql.SparkPrivates

/** Writes the answers of a row: in place if each fits 64 bits, otherwise into a new row.
  *
  * @param answered the answers of each slider
  */
final class AnswerWriter(spec: SlidingSpec, answered: Array[SegmentAnswers]) {
  private val width = spec.rows.width
  private val forms = spec.answers.map(_.form).toArray
  private val answers = spec.answers.map(a => answered(a.slider)).toArray
  private val places = spec.answers.map(_.places.toArray).toArray
  private val firsts = spec.answers.map(a => math.max(a.places.headOption.getOrElse(0), 0)).toArray
  private val kinds = forms.map(AnswerWriter.kind)

  private val project = spec.result.map(UnsafeProjection.create(_)).orNull
  private val answerValues = new Array[Any](forms.length)
  private val values = new GenericInternalRow(answerValues)
  private val rowLimit = new RowLimit
  private val joined = new JoinedRow

  /** Writes the answers of the i-th row of the segment. */
  def write(row: UnsafeRow, i: Int): InternalRow =
    if (project == null) {
      var a = 0
      while (a < forms.length) {
        set(row, width + a, a, i)
        a += 1
      }
      row
    } else {
      var a = 0
      while (a < forms.length) {
        answerValues(a) = if (hasValue(a, i)) forms(a).value(answers(a), i, places(a)) else null
        a += 1
      }
      rowLimit.require(answerValues)
      project(joined(row, values))
    }

  /** Whether there is an answer. Fails if the outcome is an error. */
  private def hasValue(a: Int, i: Int): Boolean = {
    val outcome = answers(a).outcome(i, firsts(a))
    if (outcome > Outcome.Null) AnswerWriter.fail(outcome)
    outcome == Outcome.Value
  }

  private def set(row: UnsafeRow, column: Int, a: Int, i: Int): Unit =
    if (!hasValue(a, i)) row.setNullAt(column)
    else {
      val word = answers(a).word(i, firsts(a))
      val kind = kinds(a)
      if (kind == AnswerWriter.LongWord) row.setLong(column, word)
      else if (kind == AnswerWriter.DoubleKey) row.setDouble(column, DoubleKeys.value(word))
      else if (kind == AnswerWriter.DoubleBits)
        row.setDouble(column, java.lang.Double.longBitsToDouble(word))
      else {
        row.setLong(column, 0L) // clears unused bytes, so that equal rows have equal bytes
        if (kind == AnswerWriter.IntWord) row.setInt(column, word.toInt)
        else if (kind == AnswerWriter.FloatKey) row.setFloat(column, DoubleKeys.value(word).toFloat)
        else if (kind == AnswerWriter.FloatBits)
          row.setFloat(column, java.lang.Double.longBitsToDouble(word).toFloat)
        else if (kind == AnswerWriter.ShortWord) row.setShort(column, word.toShort)
        else row.setByte(column, word.toByte)
      }
    }
}

private[spark] object AnswerWriter {
  // longs, and decimals of up to 18 digits, whose key is their unscaled value
  val LongWord = 0
  val DoubleKey = 1
  val IntWord = 2
  val FloatKey = 3
  val ShortWord = 4
  val ByteWord = 5
  val DoubleBits = 6
  val FloatBits = 7

  def kind(form: AnswerForm): Int = CodeGenerator.javaType(form.dataType) match {
    case CodeGenerator.JAVA_DOUBLE => if (form.isKey) DoubleKey else DoubleBits
    case CodeGenerator.JAVA_INT => IntWord
    case CodeGenerator.JAVA_FLOAT => if (form.isKey) FloatKey else FloatBits
    case CodeGenerator.JAVA_SHORT => ShortWord
    case CodeGenerator.JAVA_BYTE => ByteWord
    case _ => LongWord
  }

  /** Throws the error that Spark itself would throw. */
  def fail(outcome: Int): Nothing = {
    if (outcome == Outcome.Overflow) MathUtils.addExact(Long.MaxValue, 1L, null)
    throw SparkPrivates.divideByZero()
  }
}
