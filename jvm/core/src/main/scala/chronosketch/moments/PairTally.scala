package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.sliding.moments.CrossStatistic

/** What was seen of pairs: how many, the ends of each side, and what the moments are made of. */
private[moments] abstract class PairTally(val y: Side, val x: Side) extends Adds[PairTally] {
  protected var total = 0L

  final def count: Long = ElementCount.of(total)

  final def add(block: Block): Unit =
    if (block.rows > 0) addBlock(block.first, block.second, block.copies, 0, block.rows)

  /** Rows from `from` until `until`, at most [[Block.Rows]]; so many of each where `copies` is not null. */
  def addBlock(ys: Array[Long], xs: Array[Long], copies: Array[Long], from: Int, until: Int): Unit

  /** The union with another of the same class. */
  def unite(that: PairTally): Unit

  /** One that has nothing. */
  def fresh: PairTally

  final def copy: PairTally = {
    val other = fresh
    other.unite(this)
    other
  }

  /** What Spark answers to the statistic; of a tally that has seen something. */
  def answer(statistic: CrossStatistic, ofY: Domain, ofX: Domain): Answer

  /** Of one of [[y]] and [[x]], in units of its type. */
  def sum(side: Side, of: Domain): Double
  def mean(side: Side, of: Domain): Double

  /** The sum of the squares of the distances from the mean. */
  def squares(side: Side, of: Domain): Double

  final def write(w: Wire.Writer): Unit = {
    w.varint(count)
    if (total > 0) {
      y.write(w)
      x.write(w)
      writeSums(w)
    }
  }

  protected def writeSums(w: Wire.Writer): Unit

  /** Into an empty one. */
  final def read(r: Wire.Reader, ofY: Domain, ofX: Domain): Unit = {
    total = r.varint()
    if (total < 0) throw r.corrupt("its count is not valid")
    if (total > 0) {
      y.read(r, ofY)
      x.read(r, ofX)
      if (total == 1 && !(y.isConstant && x.isConstant))
        throw r.corrupt("it has one pair, but its least and greatest values differ")
      readSums(r)
    }
  }

  /** What [[writeSums]] wrote, where the count and the ends allow it. */
  protected def readSums(r: Wire.Reader): Unit
}

private[moments] object PairTally {

  /** Pairs are summed exactly where both sides are whole numbers or decimals. */
  def of(y: Domain, x: Domain): PairTally = if (isWhole(y, x)) new WholePairs else new DoublePairs

  def isWhole(y: Domain, x: Domain): Boolean = !y.isFloating && !x.isFloating
}

/** Which are the least and the greatest key of one side of pairs? */
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
