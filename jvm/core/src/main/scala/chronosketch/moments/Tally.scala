package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{Moment, MomentBounds}

/** What was seen of one column: how many values, the ends, and what the moments are made of. */
private[moments] abstract class Tally extends Adds[Tally] {
  protected var total = 0L
  var least: Long = Long.MaxValue
  var greatest: Long = Long.MinValue

  final def count: Long = ElementCount.of(total)

  final def add(block: Block): Unit =
    if (block.rows > 0) addBlock(block.first, block.copies, 0, block.rows)

  /** Keys from `from` until `until`, at most [[Block.Rows]]; so many of each where `copies` is not null. */
  final def addBlock(keys: Array[Long], copies: Array[Long], from: Int, until: Int): Unit = {
    val n = Block.count(copies, from, until)
    if (n > 0)
      addRows(keys, copies, from, until, Block.least(keys, from, until), Block.greatest(keys, from, until), n)
  }

  /** Adds to [[total]] and the ends what it was given of them. */
  protected final def extend(low: Long, high: Long, n: Long): Unit = {
    least = math.min(least, low)
    greatest = math.max(greatest, high)
    total += n
  }

  /** Of n > 0 elements whose ends these are. */
  protected def addRows(
      keys: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      low: Long,
      high: Long,
      n: Long
  ): Unit

  /** The union with another of the same class. */
  def unite(that: Tally): Unit

  /** One that has nothing. */
  def fresh: Tally

  final def copy: Tally = {
    val other = fresh
    other.unite(this)
    other
  }

  /** In units of the type; of a tally that has seen something. */
  def sum(domain: Domain): Double
  def mean(domain: Domain): Double

  /** What Spark answers to the statistic. */
  def answer(statistic: Statistic, domain: Domain): Answer

  /** Between which numbers the exact moment lies, when this was answered. */
  def bounds(moment: Moment, answer: Double, domain: Domain): MomentBounds

  final def write(w: Wire.Writer): Unit = {
    w.varint(count)
    if (total > 0) {
      w.zigzag(least)
      w.varint(greatest - least)
      if (least < greatest) writeSums(w)
    }
  }

  /** Of values that are not all equal: then there is nothing to write but how many. */
  protected def writeSums(w: Wire.Writer): Unit

  /** Into an empty one. */
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
      if (least < greatest) readSums(r) else setEqual()
    }
  }

  /** What [[writeSums]] wrote, where the count and the ends allow it. */
  protected def readSums(r: Wire.Reader): Unit

  /** All values are [[least]]. */
  protected def setEqual(): Unit
}

private[moments] object Tally {
  def of(domain: Domain): Tally = if (domain.isFloating) new DoubleTally else new WholeTally

  /** Whether neither of the ends is NaN or infinite. */
  def isFinite(least: Long, greatest: Long): Boolean =
    least > DoubleKeys.NegativeInfinity && greatest < DoubleKeys.PositiveInfinity

  /** What IEEE 754 makes of a sum of doubles not all of which are finite. */
  def special(least: Long, greatest: Long): Double =
    if (greatest >= DoubleKeys.PositiveInfinity) DoubleKeys.value(greatest) + edge(least)
    else DoubleKeys.value(least)

  private def edge(least: Long): Double =
    if (least == DoubleKeys.NegativeInfinity) Double.NegativeInfinity else 0.0
}
