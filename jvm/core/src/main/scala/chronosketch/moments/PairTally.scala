package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.sliding.moments.CrossStatistic

/** Sums over pairs: their count, the ends of each side, and the sums that the moments are computed from. */
private[moments] abstract class PairTally(val y: Side, val x: Side) extends Accumulator[PairTally] {
  protected var total = 0L

  final def count: Long = ElementCount.checked(total)

  final def add(block: Block): Unit =
    if (block.rows > 0) addBlock(block.first, block.second, block.copies, 0, block.rows)

  /** Adds the rows from `from` until `until`, at most [[Block.Rows]]. Row i counts copies(i) times, or once if `copies` is null.
    */
  def addBlock(ys: Array[Long], xs: Array[Long], copies: Array[Long], from: Int, until: Int): Unit

  /** Merges another tally of the same class into this one. */
  def unite(that: PairTally): Unit

  /** An empty tally of the same class. */
  def newEmpty: PairTally

  final def copy: PairTally = {
    val other = newEmpty
    other.unite(this)
    other
  }

  /** Spark's answer to the statistic. The tally must not be empty. */
  def answer(statistic: CrossStatistic, yDomain: Domain, xDomain: Domain): StatisticAnswer

  /** The sum of one side, [[y]] or [[x]], in units of its type. */
  def sum(side: Side, domain: Domain): Double
  def mean(side: Side, domain: Domain): Double

  /** Sum of the squared distances from the mean. */
  def squares(side: Side, domain: Domain): Double

  final def write(w: Wire.Writer): Unit = {
    w.varint(count)
    if (total > 0) {
      y.write(w)
      x.write(w)
      writeSums(w)
    }
  }

  protected def writeSums(w: Wire.Writer): Unit

  /** Reads a tally into this empty one. */
  final def read(r: Wire.Reader, yDomain: Domain, xDomain: Domain): Unit = {
    total = r.varint()
    if (total < 0) throw r.corrupt("its count is not valid")
    if (total > 0) {
      y.read(r, yDomain)
      x.read(r, xDomain)
      if (total == 1 && !(y.isConstant && x.isConstant))
        throw r.corrupt("it has one pair, but its least and greatest values differ")
      readSums(r)
    }
  }

  /** Reads what [[writeSums]] wrote, and checks it against the count and the ends. */
  protected def readSums(r: Wire.Reader): Unit
}

private[moments] object PairTally {

  /** Sums are exact if both sides are whole numbers or decimals. */
  def of(y: Domain, x: Domain): PairTally = if (isWhole(y, x)) new WholePairs else new DoublePairs

  def isWhole(y: Domain, x: Domain): Boolean = !y.isFloating && !x.isFloating
}

/** The least and the greatest key of one side of the pairs. */
private[moments] class Side {
  var least: Long = Long.MaxValue
  var greatest: Long = Long.MinValue

  final def isConstant: Boolean = least == greatest

  final def extend(low: Long, high: Long): Unit = {
    least = math.min(least, low)
    greatest = math.max(greatest, high)
  }

  final def write(w: Wire.Writer): Unit = {
    w.zigzag(least)
    w.varint(greatest - least)
  }

  final def read(r: Wire.Reader, domain: Domain): Unit = {
    least = r.zigzag()
    greatest = least + r.varint()
    if (greatest < least || !domain.holds(least) || !domain.holds(greatest))
      throw r.corrupt(s"its least or greatest value is not of type ${domain.sql}")
  }
}
