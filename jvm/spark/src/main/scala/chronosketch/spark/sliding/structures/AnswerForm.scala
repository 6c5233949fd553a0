package chronosketch.spark.sliding.structures

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import chronosketch.spark.sql.{KeyCodec, Phis}

/** Reads a column of answers from the words of a slider. */
sealed abstract class AnswerForm extends Serializable {
  def dataType: DataType

  /** Whether the first word is the answer, so that it can be set in place. */
  def isPlain: Boolean

  /** Whether this word is a key. If not, it has the bits of the answer. */
  def isKey: Boolean

  /** The answer as Spark's internal value.
    *
    * @param row    a row of the segment; it must have an answer
    * @param places the index of each statistic among the slider's
    */
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any
}

/** The form of one answer of a window, and the location of its words.
  *
  * @param slider the index among the window's sliders
  * @param places the index of each statistic among the slider's; −1 if φ is NULL
  */
final case class AnswerSpec(form: AnswerForm, slider: Int, places: Seq[Int])

/** Quantiles, or their bounds.
  *
  * @param shares   φ, or an array of φs
  * @param isBounds whether the answers are a low and a high bound
  */
final case class QuantileForm(
    shares: Any,
    shareType: DataType,
    isBounds: Boolean,
    valueType: DataType,
    dataType: DataType
) extends AnswerForm {
  @transient private lazy val values: KeyCodec = KeyCodec.of(valueType).get
  @transient private lazy val phis: Phis = Phis.of(shares, shareType)

  def isPlain: Boolean = dataType == valueType
  def isKey: Boolean = true
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any = phis.mapPlaces { p =>
    if (isBounds) {
      val low = values.value(answers.low(row, places(p)))
      val high = values.value(answers.high(row, places(p)))
      new GenericInternalRow(Array[Any](low, high))
    } else values.value(answers.word(row, places(p)))
  }
}

/** An answer of one word. */
final case class WordForm(dataType: DataType) extends AnswerForm {
  @transient private lazy val values: KeyCodec = KeyCodec.of(dataType).get

  def isPlain: Boolean = true
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any = {
    val word = answers.word(row, places(0))
    dataType match {
      case DoubleType => java.lang.Double.longBitsToDouble(word)
      case FloatType => java.lang.Double.longBitsToDouble(word).toFloat
      case _ => values.value(word)
    }
  }
}

/** An array of doubles. */
final case class DoublesForm(dataType: DataType) extends AnswerForm {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any =
    new GenericArrayData(places.map(p => java.lang.Double.longBitsToDouble(answers.word(row, p))))
}

/** An array of the least or greatest keys. The first word is the number of elements, the others are keys in order. */
final case class EndsForm(dataType: ArrayType) extends AnswerForm {
  @transient private lazy val values: KeyCodec = KeyCodec.of(dataType.elementType).get

  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any = {
    val count = math.min(answers.word(row, places(0)), (places.length - 1).toLong).toInt
    new GenericArrayData(Array.tabulate[Any](count)(i => values.value(answers.word(row, places(i + 1)))))
  }
}

/** A sketch, built when its row is returned. */
case object SketchForm extends AnswerForm {
  def dataType: DataType = BinaryType
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any = answers.sketch(row, places(0))
}

/** A sum of decimals: its low word, then its high word. */
final case class DecimalForm(dataType: DecimalType) extends AnswerForm {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any =
    Decimal(DecimalForm.sum(answers, row, places, dataType.scale), dataType.precision, dataType.scale)
}

object DecimalForm {
  private[structures] def sum(
      answers: SegmentAnswers,
      row: Int,
      places: Array[Int],
      scale: Int
  ): BigDecimal = {
    val low = answers.word(row, places(0))
    val high = answers.word(row, places(1))
    new BigDecimal(
      BigInteger.valueOf(high).shiftLeft(64).add(
        BigInteger.valueOf(low >>> 1).shiftLeft(1).add(BigInteger.valueOf(low & 1L))
      ),
      scale
    )
  }
}

/** A mean of decimals, divided and rounded as in Spark. Its words are the low and high word of the sum, and the number of elements. */
final case class DecimalMeanForm(scale: Int, dataType: DecimalType) extends AnswerForm {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: SegmentAnswers, row: Int, places: Array[Int]): Any = {
    val mean = Decimal(DecimalForm.sum(answers, row, places, scale)) / Decimal(answers.word(row, places(2)))
    // rounds halves up, as Spark does; can't overflow, because a mean has no more digits before the point than its elements
    mean.changePrecision(dataType.precision, dataType.scale)
    mean
  }
}
