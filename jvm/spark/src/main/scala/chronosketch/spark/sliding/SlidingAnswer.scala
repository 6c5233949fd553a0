package chronosketch.spark.sliding

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import chronosketch.spark.sql.{Phis, SqlValues}

/** One column of answers: how it is read from the words of a structure. */
sealed abstract class SlidingAnswer extends Serializable {
  def structure: Int

  /** Which words: of each ask its place among the structure's. */
  def places: Seq[Int]
  def dataType: DataType

  /** Whether the first word is the answer, to be set in the row; and whether it is a key then, or the answer's own bits. */
  def isPlain: Boolean
  def isKey: Boolean

  /** As Spark holds it, of the i-th row of the segment, which has one. */
  def value(window: SlidingWindow, i: Int): Any
}

/** Quantiles.
  *
  * @param places   −1 of a φ that is NULL
  * @param isBounds whether low and high are answered
  */
final case class QuantileAnswer(
    structure: Int,
    places: Seq[Int],
    phis: Phis,
    isBounds: Boolean,
    valueType: DataType,
    dataType: DataType
) extends SlidingAnswer {
  @transient private lazy val values: SqlValues = SqlValues.of(valueType).get
  @transient private lazy val at: Array[Int] = places.toArray

  def isPlain: Boolean = dataType == valueType
  def isKey: Boolean = true
  def value(window: SlidingWindow, i: Int): Any = phis.mapPlaces { place =>
    if (isBounds) {
      val low = values.value(window.low(structure, i, at(place)))
      val high = values.value(window.high(structure, i, at(place)))
      new GenericInternalRow(Array[Any](low, high))
    } else values.value(window.answer(structure, i, at(place)))
  }
}

/** A word as it is. */
final case class WordAnswer(structure: Int, places: Seq[Int], dataType: DataType, isPlain: Boolean)
    extends SlidingAnswer {
  @transient private lazy val values: SqlValues = SqlValues.of(dataType).get

  def isKey: Boolean = false
  def value(window: SlidingWindow, i: Int): Any = {
    val word = window.answer(structure, i, places.head)
    dataType match {
      case DoubleType => java.lang.Double.longBitsToDouble(word)
      case FloatType => java.lang.Double.longBitsToDouble(word).toFloat
      case _ => values.value(word)
    }
  }
}

/** An array of doubles. */
final case class DoublesAnswer(structure: Int, places: Seq[Int], dataType: DataType) extends SlidingAnswer {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(window: SlidingWindow, i: Int): Any = new GenericArrayData(
    places.map(p => java.lang.Double.longBitsToDouble(window.answer(structure, i, p))).toArray
  )
}

/** A sketch, made when its row goes out. */
final case class SketchAnswer(structure: Int, places: Seq[Int]) extends SlidingAnswer {
  def dataType: DataType = BinaryType
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(window: SlidingWindow, i: Int): Any = window.sketch(structure, i, places.head)
}

/** The sum of decimals: its low word, then its high one. */
final case class DecimalAnswer(structure: Int, places: Seq[Int], dataType: DecimalType)
    extends SlidingAnswer {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(window: SlidingWindow, i: Int): Any =
    Decimal(DecimalAnswer.sum(window, this, i, dataType.scale), dataType.precision, dataType.scale)
}

private object DecimalAnswer {
  def sum(window: SlidingWindow, answer: SlidingAnswer, i: Int, scale: Int): BigDecimal = {
    val low = window.answer(answer.structure, i, answer.places.head)
    val high = window.answer(answer.structure, i, answer.places(1))
    new BigDecimal(
      BigInteger.valueOf(high).shiftLeft(64).add(
        BigInteger.valueOf(low >>> 1).shiftLeft(1).add(BigInteger.valueOf(low & 1L))
      ),
      scale
    )
  }
}

/** The mean of decimals, as Spark divides and rounds: the sum's low word, its high one, and how many there are. */
final case class DecimalMeanAnswer(structure: Int, places: Seq[Int], scale: Int, dataType: DecimalType)
    extends SlidingAnswer {
  def isPlain: Boolean = false
  def isKey: Boolean = false
  def value(window: SlidingWindow, i: Int): Any = {
    val mean = Decimal(DecimalAnswer.sum(window, this, i, scale)) /
      Decimal(window.answer(structure, i, places(2)))
    // rounds halves up, as Spark does here; a mean has no more digits before the point than its elements
    mean.changePrecision(dataType.precision, dataType.scale)
    mean
  }
}
