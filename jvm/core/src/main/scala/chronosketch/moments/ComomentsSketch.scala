package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.memory.{Meter, Metered}
import chronosketch.sliding.moments.CrossStatistic
import chronosketch.summary.{Family, Header, InsertsPairs}

/** How do two columns go together: covariance, correlation, and the line that tells y from x?
  *
  * Guarantee  both whole numbers or decimals: every answer is the nearest double, a correlation within 1 ulp, as [[WholePairs]] says,
  *            and the same pairs are the same bytes, in whatever order and parts they came. Otherwise both sides are doubles, a whole number
  *            or decimal the one nearest to it, and [[DoublePairs]] says how far off they are
  * Cost       a pair is stored, and added up with others of its [[Block]]; some 130 bytes and the block, 60 to 150 stored
  * Units      keys of [[domain]], the type of y, and of [[xDomain]]; answers in their values. Pairs without a NULL
  * Merge      legal when both value types widen
  * Source     Pébay 2008, §4; see [[WholePairs]] and [[DoublePairs]]
  */
final class ComomentsSketch private[moments] (initialY: Domain, initialX: Domain) extends InsertsPairs
    with Metered {
  type Same = ComomentsSketch

  private var yDomain = initialY
  private var currentX = initialX
  private val isWhole = PairTally.isWhole(initialY, initialX)
  // whole numbers beside doubles become doubles
  private val isMixed = initialY.isFloating != initialX.isFloating
  private val waiting = new Block(isOfPairs = true)
  private val rows = new Waiting(PairTally.of(initialY, initialX), waiting)

  def family: Family[ComomentsSketch] = ComomentsSketches
  def domain: Domain = yDomain
  def xDomain: Domain = currentX
  def header: Header[ComomentsSketch] = ComomentsHeader(yDomain)
  def fresh: ComomentsSketch = new ComomentsSketch(yDomain, currentX)

  def count: Long = rows.count

  def insertPair(y: Long, x: Long): Unit = {
    if (!waiting.hasRoom) makeRoom()
    if (isMixed) waiting.add(doubleKey(y, yDomain), doubleKey(x, currentX)) else waiting.add(y, x)
  }

  /** `copies` ≥ 0 equal pairs. */
  def insertPair(y: Long, x: Long, copies: Long): Unit =
    if (copies == 1) insertPair(y, x)
    else if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      insertPair(y, x)
      waiting.repeat(copies)
    }

  private def doubleKey(key: Long, domain: Domain): Long =
    if (domain.isFloating) key
    else if (domain.second == 0) DoubleKeys.key(key.toDouble)
    else DoubleKeys.key(java.math.BigDecimal.valueOf(key, domain.second).doubleValue)

  private def makeRoom(): Unit =
    if (waiting.isFull) rows.settle()
    else {
      waiting.makeRoom()
      report()
    }

  override protected def requireAlike(that: ComomentsSketch): Unit = {
    widerX(that)
    ()
  }

  private def widerX(that: ComomentsSketch): Domain =
    currentX.widenOrRefuse(that.currentX, family.ofSecond(Nil))

  protected def unite(that: ComomentsSketch, wider: Domain): Unit = {
    rows.settle()
    rows.settled.unite(that.rows.seen)
    yDomain = wider
    currentX = widerX(that)
  }

  private def of(answer: PairTally => Double): Option[Double] = Option.when(count > 0)(answer(rows.seen))

  /** Sides whose ends are exact; of doubles, keys of DOUBLE. None where nothing was seen. */
  private[moments] def sides: Option[(Side, Side)] = Option.when(count > 0) {
    val all = rows.seen
    (all.y, all.x)
  }

  def sumY: Option[Double] = of(t => t.sum(t.y, yDomain))
  def sumX: Option[Double] = of(t => t.sum(t.x, currentX))
  def meanY: Option[Double] = of(t => t.mean(t.y, yDomain))
  def meanX: Option[Double] = of(t => t.mean(t.x, currentX))

  /** Sums of the squares of the distances from the mean: Spark's regr_syy and regr_sxx. */
  def squaresY: Option[Double] = of(t => t.squares(t.y, yDomain))
  def squaresX: Option[Double] = of(t => t.squares(t.x, currentX))

  /** What Spark answers to the statistic, or why there is none: as [[CrossStatistic]] says. */
  def answer(statistic: CrossStatistic): Answer =
    if (count == 0) Answer.none else rows.seen.answer(statistic, yDomain, currentX)

  def covarPop: Option[Double] = answer(CrossStatistic.CovarPop).toOption
  def covarSamp: Option[Double] = answer(CrossStatistic.CovarSamp).toOption
  def corr: Option[Double] = answer(CrossStatistic.Corr).toOption
  def slope: Option[Double] = answer(CrossStatistic.RegrSlope).toOption
  def intercept: Option[Double] = answer(CrossStatistic.RegrIntercept).toOption
  def r2: Option[Double] = answer(CrossStatistic.RegrR2).toOption

  def write(writer: Wire.Writer): Unit = {
    count
    writer.byte(currentX.kind.id)
    writer.byte(currentX.first)
    writer.byte(currentX.second)
    rows.seen.write(writer)
  }

  private[moments] def read(reader: Wire.Reader): Unit =
    if (isWhole) rows.settled.read(reader, yDomain, currentX)
    else rows.settled.read(reader, ofDoubles(yDomain), ofDoubles(currentX))

  private def ofDoubles(domain: Domain): Domain = if (domain.isFloating) domain else Domain.Double

  protected def heldBytes: Long = 4 * Meter.ObjectBytes + waiting.sizeBytes
}
