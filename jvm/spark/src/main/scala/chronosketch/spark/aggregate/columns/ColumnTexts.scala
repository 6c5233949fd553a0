package chronosketch.spark.aggregate.columns

import java.util.Arrays

import org.apache.spark.sql.execution.vectorized.{ConstantColumnVector, WritableColumnVector}
import org.apache.spark.sql.vectorized.ColumnVector

import chronosketch.spark.rows.TextKeys
import chronosketch.spark.sql.SparkPrivates

/** Reads texts as their numbers.
  *
  * Cost  where the vector has positions in a dictionary, one load for each row, and one look-up for each text of the dictionary; where it
  *       does not, an object and a look-up for each row
  */
private[columns] final class ColumnTexts(texts: TextKeys) extends ColumnKeys {
  private var dictionary: AnyRef = null
  private var generation = 0

  // for each position in the dictionary: the number of its text plus one, or 0 if it has not been looked up
  private var numbers = Array.emptyIntArray

  def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = vector match {
    case coded: WritableColumnVector if isKnown(coded) =>
      val codes = coded.getDictionaryIds.getInts(from, n)
      var i = 0
      while (i < n) { into(at + i) = numberOf(codes(i), coded, from + i); i += 1 }
    case constant: ConstantColumnVector => Arrays.fill(into, at, at + n, one(constant, from))
    case other =>
      var i = 0
      while (i < n) { into(at + i) = texts.number(other.getUTF8String(from + i)).toLong; i += 1 }
  }

  def one(vector: ColumnVector, row: Int): Long = vector match {
    case coded: WritableColumnVector if isKnown(coded) =>
      numberOf(coded.getDictionaryIds.getInt(row), coded, row)
    case other => texts.number(other.getUTF8String(row)).toLong
  }

  /** Whether a vector has positions in a dictionary, and the numbers are of its texts. Forgets them if they are of another dictionary, or
    * no longer valid.
    */
  private def isKnown(coded: WritableColumnVector): Boolean = {
    val current = SparkPrivates.dictionaryOf(coded)
    if ((current ne dictionary) || generation != texts.generation) {
      Arrays.fill(numbers, 0)
      dictionary = current
      generation = texts.generation
    }
    current != null
  }

  private def numberOf(code: Int, coded: WritableColumnVector, row: Int): Long = {
    if (code >= numbers.length) grow(code)
    if (numbers(code) == 0) numbers(code) = texts.number(coded.getUTF8String(row)) + 1
    numbers(code) - 1L
  }

  private def grow(code: Int): Unit = {
    val length = math.max(code + 1, math.max(ColumnTexts.FewestNumbers, 2 * numbers.length))
    texts.meter.add(4L * (length - numbers.length))
    numbers = Arrays.copyOf(numbers, length)
  }
}

private object ColumnTexts {
  val FewestNumbers = 256
}
