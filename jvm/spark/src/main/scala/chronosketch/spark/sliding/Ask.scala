package chronosketch.spark.sliding

import org.apache.spark.sql.types.DataType

import chronosketch.rank.Phi
import chronosketch.sliding.moments.{CrossStatistic, Statistic}
import chronosketch.spark.aggregate.Values

/** What is asked of the elements that a row sees: answered by one word of 64 bits, or by a sketch. Asks of one kind, elements and
  * frame share what slides.
  */
sealed abstract class Ask(val kind: SlidingKind) extends Serializable

/** Which structure slides.
  *
  * @param text         its name, for EXPLAIN
  * @param words        how many words it has of an ask while it slides; none: it answers by sketches, a row at a time
  * @param answersEmpty whether it has an answer where a row sees no element
  * @param hasOutcomes  whether it can have none where a row sees some
  */
sealed abstract class SlidingKind(
    val text: String,
    val words: Int = 1,
    val answersEmpty: Boolean = false,
    val hasOutcomes: Boolean = false
) extends Serializable

object SlidingKind {
  case object Quantiles extends SlidingKind("block sort")
  case object Percentages extends SlidingKind("block sort", words = 3)
  case object Extremes extends SlidingKind("extremes")
  case object FloatingExtremes extends SlidingKind("extremes")
  case object Places extends SlidingKind("places of extremes", hasOutcomes = true)
  case object Counts extends SlidingKind("counts", answersEmpty = true)
  case object LongSums extends SlidingKind("128-bit sums", words = 3, hasOutcomes = true)
  case object DoubleSums extends SlidingKind("compensated sums")
  case object Moments extends SlidingKind("moments", hasOutcomes = true)
  case object CrossMoments extends SlidingKind("cross moments", hasOutcomes = true)
  case object Mode extends SlidingKind("tournament")
  case object Bits extends SlidingKind("bits")
  case object CopiesQuantiles extends SlidingKind("key counts")
  case object Sketches extends SlidingKind("key counts", words = 0, answersEmpty = true)
  case object Unions extends SlidingKind("two stacks", words = 0)
  case object DabaUnions extends SlidingKind("DABA", words = 0)
}

object Ask {

  /** The key of a φ-quantile. */
  final case class Quantile(phi: Phi) extends Ask(SlidingKind.Quantiles)

  /** The percentile as Spark interpolates it, a double; of whose values these are the keys. */
  final case class Percentage(share: Double, dataType: DataType)
      extends Ask(SlidingKind.Percentages)

  /** The least key, or the greatest. */
  final case class Extreme(isLeast: Boolean) extends Ask(SlidingKind.Extremes)

  /** The least double, or the greatest, by its bits; of zeros of both signs the oldest, as Spark has it. */
  final case class FloatingExtreme(isLeast: Boolean) extends Ask(SlidingKind.FloatingExtremes)

  /** What stands beside the least key, or the greatest. */
  final case class Beside(isLeast: Boolean) extends Ask(SlidingKind.Places)

  case object Count extends Ask(SlidingKind.Counts)

  /** A sum of longs, or the outcome where it is none; wrapped around where that is a value. */
  final case class LongSum(beyond: Int) extends Ask(SlidingKind.LongSums)

  /** What a sum has beyond 64 bits. */
  case object HighWord extends Ask(SlidingKind.LongSums)
  case object LongMean extends Ask(SlidingKind.LongSums)

  /** How many elements a sum is of. */
  case object Elements extends Ask(SlidingKind.LongSums)

  case object DoubleSum extends Ask(SlidingKind.DoubleSums)
  case object DoubleMean extends Ask(SlidingKind.DoubleSums)

  /** @param undefined the outcome of what is undefined, NaN where that is a value */
  final case class Moment(statistic: Statistic, undefined: Int, divided: Int)
      extends Ask(SlidingKind.Moments)
  final case class CrossMoment(statistic: CrossStatistic, undefined: Int, divided: Int)
      extends Ask(SlidingKind.CrossMoments)

  /** The most frequent key; of several the least, or the greatest. */
  final case class MostFrequent(isGreatest: Boolean) extends Ask(SlidingKind.Mode)

  case object And extends Ask(SlidingKind.Bits)
  case object Or extends Ask(SlidingKind.Bits)
  case object Xor extends Ask(SlidingKind.Bits)

  /** The key of a φ-quantile where each element counts as often as stands beside it.
    *
    * @param context what messages name, as of the others below
    */
  final case class CopiesQuantile(phi: Phi, context: Map[String, String])
      extends Ask(SlidingKind.CopiesQuantiles)

  /** A summary of the keys, each counted as often as stands beside it, where something does. */
  final case class Sketch(values: Values, context: Map[String, String]) extends Ask(SlidingKind.Sketches)

  /** The union of stored sketches. */
  final case class Union(context: Map[String, String]) extends Ask(SlidingKind.Unions)
}

/** What becomes of an answer: as [[chronosketch.sliding.moments.Answers]] has it, and an error of Spark's. */
object Outcome {
  final val Value = 0
  final val Null = 1
  final val DivisionByZero = 3
  final val Overflow = 4
}
