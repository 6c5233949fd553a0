package chronosketch.spark.sliding.structures

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import chronosketch.spark.sql.{Phis, SqlValues}

/** How a column of answers is read from the words of a structure. */
sealed abstract class AnswerForm extends Serializable {
  def dataType: DataType

  /** Whether the first word is the answer, so that it can be set in the row. */
  def isPlain: Boolean

  /** Whether that word is a key; else it is the answer's own bits. */
  def isKey: Boolean

  /** The answer as Spark holds it.
    *
    * @param row    of the segment; it has an answer
    * @param places where the statistics are among the structure's
    */
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any
}

/** One answer of a window: its form, and where its words are.
  *
  * @param structure which of the window's structures
  * @param places    where each statistic is among the structure's; −1 for a φ that is NULL
  */
final case class SlidingAnswer(form: AnswerForm, structure: Int, places: Seq[Int])

/** Quantiles.
  *
  * @param shares   φ, or an array of them
  * @param isBounds whether low and high are answered
  */
final case class QuantileForm(
    shares: Any,
    shareType: DataType,
    isBounds: Boolean,
    valueType: DataType,
    dataType: DataType
) extends AnswerForm {
  @transient private lazy val values: SqlValues = SqlValues.of(valueType).get
  @transient private lazy val phis: Phis = Phis.of(shares, shareType)

  def isPlain: Boolean = dataType == valueType
  def isKey: Boolean = true
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any = phis.mapPlaces { p =>
    if (isBounds) {
      val low = values.value(answers.low(row, places(p)))
      val high = values.value(answers.high(row, places(p)))
      new GenericInternalRow(Array[Any](low, high))
    } else values.value(answers.word(row, places(p)))
  }
}

/** A word that is the answer. */
final case class WordForm(dataType: DataType) extends AnswerForm {
  @transient private lazy val values: SqlValues = SqlValues.of(dataType).get

  def isPlain: Boolean = true
  def isKey: Boolean = false
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any = {
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
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any =
    new GenericArrayData(places.map(p => java.lang.Double.longBitsToDouble(answers.word(row, p))))
}

/** An array of keys: how many elements there are, then the keys from an end on. */
final case class EndsForm(dataType: ArrayType) extends AnswerForm {
  @transient private lazy val values: SqlValues = SqlValues.of(dataType.elementType).get

  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any = {
    val count = math.min(answers.word(row, places(0)), (places.length - 1).toLong).toInt
    new GenericArrayData(Array.tabulate[Any](count)(i => values.value(answers.word(row, places(i + 1)))))
  }
}

/** A sketch, made when its row goes out. */
case object SketchForm extends AnswerForm {
  def dataType: DataType = BinaryType
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any = answers.sketch(row, places(0))
}

/** A sum of decimals: its low word, then its high one. */
final case class DecimalForm(dataType: DecimalType) extends AnswerForm {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any =
    Decimal(DecimalForm.sum(answers, row, places, dataType.scale), dataType.precision, dataType.scale)
}

object DecimalForm {
  private[structures] def sum(
      answers: StructureAnswers,
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

/** A mean of decimals, divided and rounded as Spark does: the sum's low word, its high one, and how many elements there are. */
final case class DecimalMeanForm(scale: Int, dataType: DecimalType) extends AnswerForm {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(answers: StructureAnswers, row: Int, places: Array[Int]): Any = {
    val mean = Decimal(DecimalForm.sum(answers, row, places, scale)) / Decimal(answers.word(row, places(2)))
    // rounds halves up, as Spark does here; a mean has no more digits before the point than its elements
    mean.changePrecision(dataType.precision, dataType.scale)
    mean
  }
}
