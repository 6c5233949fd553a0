package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{Moment, MomentBounds}

/** Sums over a column: the count, the ends, and the sums that the moments are computed from. */
private[moments] abstract class Tally extends Accumulator[Tally] {
  protected var total = 0L
  var least: Long = Long.MaxValue
  var greatest: Long = Long.MinValue

  final def count: Long = ElementCount.checked(total)

  final def add(block: Block): Unit =
    if (block.rows > 0) addBlock(block.first, block.copies, 0, block.rows)

  /** Adds the keys from `from` until `until`, at most [[Block.Rows]]. Key i counts copies(i) times, or once if `copies` is null.
    */
  final def addBlock(keys: Array[Long], copies: Array[Long], from: Int, until: Int): Unit = {
    val n = Block.count(copies, from, until)
    if (n > 0)
      addRows(keys, copies, from, until, Block.least(keys, from, until), Block.greatest(keys, from, until), n)
  }

  /** Extends the count and the ends. */
  protected final def extend(low: Long, high: Long, n: Long): Unit = {
    least = math.min(least, low)
    greatest = math.max(greatest, high)
    total += n
  }

  /** Adds n > 0 elements with these ends. */
  protected def addRows(
      keys: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      low: Long,
      high: Long,
      n: Long
  ): Unit

  /** Merges another tally of the same class into this one. */
  def unite(that: Tally): Unit

  /** An empty tally of the same class. */
  def newEmpty: Tally

  final def copy: Tally = {
    val other = newEmpty
    other.unite(this)
    other
  }

  /** Whether a cast changes no value. The tally must not be empty. */
  def isCastExact(cast: Cast): Boolean

  /** The tally of the same values in another type. Requires [[isCastExact]]. */
  def castBy(cast: Cast): Tally

  /** The sum in units of the type. The tally must not be empty. */
  def sum(domain: Domain): Double
  def mean(domain: Domain): Double

  /** Spark's answer to the statistic. */
  def answer(statistic: Statistic, domain: Domain): StatisticAnswer

  /** Bounds for the exact moment, given the answer. */
  def bounds(moment: Moment, answer: Double, domain: Domain): MomentBounds

  final def write(w: Wire.Writer): Unit = {
    w.varint(count)
    if (total > 0) {
      w.zigzag(least)
      w.varint(greatest - least)
      writeRest(w)
    }
  }

  /** Writes what the count and the ends do not determine. */
  final def writeRest(w: Wire.Writer): Unit = if (least < greatest) writeSums(w)

  /** Writes the sums. Called only if the values are not all equal; otherwise count and ends determine them. */
  protected def writeSums(w: Wire.Writer): Unit

  /** Reads a tally into this empty one. */
  final def read(r: Wire.Reader, domain: Domain): Unit = {
    total = r.varint()
    if (total < 0) throw r.corrupt("its count is not valid")
    if (total > 0) {
      least = r.zigzag()
      greatest = least + r.varint()
      if (greatest < least || !domain.holds(least) || !domain.holds(greatest))
        throw r.corrupt(s"its least or greatest value is not of type ${domain.sql}")
      if (total == 1 && least != greatest)
        throw r.corrupt("it has one value, but its least and greatest values differ")
      readRest(r)
    }
  }

  /** Reads what [[writeRest]] wrote into this empty tally. There are n > 0 values with these ends. */
  final def readRest(r: Wire.Reader, n: Long, low: Long, high: Long): Unit = {
    extend(low, high, n)
    readRest(r)
  }

  private def readRest(r: Wire.Reader): Unit = if (least < greatest) readSums(r) else setConstant()

  /** Reads what [[writeSums]] wrote, and checks it against the count and the ends. */
  protected def readSums(r: Wire.Reader): Unit

  /** Sets the sums when all values equal [[least]]. */
  protected def setConstant(): Unit
}

private[moments] object Tally {
  def of(domain: Domain): Tally = if (domain.isFloating) new DoubleTally else new WholeTally

  /** Whether neither end is NaN or infinite. */
  def isFinite(least: Long, greatest: Long): Boolean =
    least > DoubleKeys.NegativeInfinity && greatest < DoubleKeys.PositiveInfinity

  /** The IEEE 754 sum of doubles, not all of which are finite. */
  def nonFiniteSum(least: Long, greatest: Long): Double =
    if (greatest >= DoubleKeys.PositiveInfinity) DoubleKeys.value(greatest) + edge(least)
    else DoubleKeys.value(least)

  private def edge(least: Long): Double =
    if (least == DoubleKeys.NegativeInfinity) Double.NegativeInfinity else 0.0
}

/** Checks whether stored moments are possible for doubles with given ends, and rejects them if not. Allows for twice the rounding
  * errors.
  *
  * Guarantee  for n elements that differ by at most D, two of them by exactly D: D²/2 ≤ M2 ≤ n·D²/4, |M3| ≤ n·D³, D⁴/8 ≤ M4 ≤
  *            n·D⁴
  */
private[moments] object MomentBoundsCheck {

  /** Powers of a range below this are not checked, because underflow may have cost them digits. */
  private val Tiny = 1e-290

  def requireMean(r: Wire.Reader, mean: Mean, least: Long, greatest: Long): Unit = {
    val high = mean.high
    if (!(high >= DoubleKeys.value(least) && high <= DoubleKeys.value(greatest)))
      throw r.corrupt(s"its mean, $high, is not between its least and greatest value")
    if (!(high + mean.low == high)) throw r.corrupt(s"its mean is $high and ${mean.low}")
  }

  def requireSquares(r: Wire.Reader, n: Long, range: Double, m2: Double): Unit =
    requireBetween(r, "M2", m2, range * range / 4, n.toDouble * range * range)

  def requireMoments(r: Wire.Reader, n: Long, range: Double, m2: Double, m3: Double, m4: Double): Unit = {
    requireSquares(r, n, range, m2)
    val most = 4 * n.toDouble * range * range * range
    if (!(math.abs(m3) <= most + Tiny || m3.isNaN && most.isInfinite)) throw r.corrupt(s"its M3 is $m3")
    requireBetween(r, "M4", m4, range * range * range * range / 16, most * range)
  }

  def requireProducts(r: Wire.Reader, n: Long, rangeY: Double, rangeX: Double, c: Double): Unit = {
    val most = 4 * n.toDouble * (rangeY * rangeX)
    if (!(math.abs(c) <= most + Tiny || c.isNaN && most.isInfinite))
      throw r.corrupt(s"its sum of products is $c")
  }

  private def requireBetween(r: Wire.Reader, name: String, value: Double, low: Double, high: Double): Unit = {
    val isAbove = value >= 0 && (value >= low || low <= Tiny || low.isInfinite && value == low)
    if (!(isAbove && value <= high + Tiny)) throw r.corrupt(s"its $name is $value")
  }
}
