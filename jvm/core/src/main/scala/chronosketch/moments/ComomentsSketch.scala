package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.memory.Metered
import chronosketch.sliding.moments.CrossStatistic
import chronosketch.summary.{Family, Header, InsertsPairs, Parameter, Recipe}

/** Sketch of pairs (y, x): covariance, correlation and linear regression.
  *
  * Guarantee  if both columns are whole numbers or decimals, every answer is the nearest double, and a correlation within 1 ulp
  *            (see [[WholePairs]]); the same pairs give the same bytes, in whatever order and parts they arrive. Otherwise both
  *            sides are doubles, whole numbers and decimals being rounded to the nearest one, with the errors that
  *            [[DoublePairs]] states
  * Cost       a pair is stored and added up with the others of its [[Block]]; some 130 bytes plus the block, 60 to 150 bytes
  *            encoded
  * Units      keys of [[domain]], the type of y, and of [[xDomain]]; answers in their values. Pairs with a NULL are left out
  * Merge      allowed if both value types widen
  * Source     Pébay 2008, §4; see [[WholePairs]] and [[DoublePairs]]
  */
final class ComomentsSketch private[moments] (initialY: Domain, initialX: Domain) extends InsertsPairs
    with Metered {
  type Same = ComomentsSketch

  private var yDomain = initialY
  private var currentX = initialX
  private val isWhole = PairTally.isWhole(initialY, initialX)
  // only one side is floating: the values of the other one are converted to doubles
  private val isMixed = initialY.isFloating != initialX.isFloating
  private val buffer = new Block(hasPairs = true)
  private val rows = new BufferedSums(PairTally.of(initialY, initialX), buffer)

  def family: Family[ComomentsSketch] = ComomentsSketches
  def domain: Domain = yDomain
  def xDomain: Domain = currentX
  def header: Header[ComomentsSketch] = ComomentsHeader(yDomain)
  def newEmpty: ComomentsSketch = new ComomentsSketch(yDomain, currentX)

  override def castObstacle(cast: Cast): Option[String] =
    Option.unless(cast.keepsKeys && cast.isExact)("it has sums of two columns, y and x")

  /** Casts y. */
  def castBy(cast: Cast): ComomentsSketch = {
    val other = new ComomentsSketch(cast.to, currentX)
    if (count > 0) other.rows.flushed.unite(rows.snapshot)
    other
  }

  def count: Long = rows.count

  def insertPair(y: Long, x: Long): Unit = {
    if (!buffer.hasRoom) makeRoom()
    if (isMixed) buffer.add(doubleKey(y, yDomain), doubleKey(x, currentX)) else buffer.add(y, x)
  }

  /** Inserts `copies` ≥ 0 equal pairs. */
  def insertPair(y: Long, x: Long, copies: Long): Unit =
    if (copies == 1) insertPair(y, x)
    else if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      insertPair(y, x)
      buffer.setCopies(copies)
    }

  private def doubleKey(key: Long, domain: Domain): Long =
    if (domain.isFloating) key
    else if (domain.second == 0) DoubleKeys.key(key.toDouble)
    else DoubleKeys.key(java.math.BigDecimal.valueOf(key, domain.second).doubleValue)

  private def makeRoom(): Unit =
    if (buffer.isFull) rows.flush()
    else {
      buffer.grow()
      report()
    }

  override protected def requireAlike(that: ComomentsSketch): Unit = {
    widerX(that)
    ()
  }

  private def widerX(that: ComomentsSketch): Domain =
    currentX.widenOrRefuse(that.currentX, family.ofSecond(Nil))

  protected def mergeChecked(that: ComomentsSketch, wider: Domain): Unit = {
    rows.flush()
    rows.flushed.unite(that.rows.snapshot)
    yDomain = wider
    currentX = widerX(that)
  }

  private def ifNonEmpty(answer: PairTally => Double): Option[Double] =
    Option.when(count > 0)(answer(rows.snapshot))

  /** The sides y and x with their exact ends; keys of DOUBLE if the sums are doubles. None if the sketch is empty. */
  private[moments] def sides: Option[(Side, Side)] = Option.when(count > 0) {
    val all = rows.snapshot
    (all.y, all.x)
  }

  def sumY: Option[Double] = ifNonEmpty(t => t.sum(t.y, yDomain))
  def sumX: Option[Double] = ifNonEmpty(t => t.sum(t.x, currentX))
  def meanY: Option[Double] = ifNonEmpty(t => t.mean(t.y, yDomain))
  def meanX: Option[Double] = ifNonEmpty(t => t.mean(t.x, currentX))

  /** Sums of squared distances from the mean: Spark's regr_syy and regr_sxx. */
  def squaresY: Option[Double] = ifNonEmpty(t => t.squares(t.y, yDomain))
  def squaresX: Option[Double] = ifNonEmpty(t => t.squares(t.x, currentX))

  /** Spark's answer to the statistic, or the reason why there is none (see [[CrossStatistic]]). */
  def answer(statistic: CrossStatistic): StatisticAnswer =
    if (count == 0) StatisticAnswer.none else rows.snapshot.answer(statistic, yDomain, currentX)

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
    rows.snapshot.write(writer)
  }

  private[moments] def read(reader: Wire.Reader): Unit =
    if (isWhole) rows.flushed.read(reader, yDomain, currentX)
    else rows.flushed.read(reader, asFloating(yDomain), asFloating(currentX))

  private def asFloating(domain: Domain): Domain = if (domain.isFloating) domain else Domain.Double

  // the objects of sums take about as much whatever is summed
  protected def heldBytes: Long = 336L + buffer.sizeBytes
}

/** The family of [[ComomentsSketch]]. */
object ComomentsSketches extends Family[ComomentsSketch] {
  val id = 10
  val name = "comoments sketch"
  def aggregate: Seq[String] = Seq("comoments_agg", "y", "x")
  val parameters: Seq[Parameter] = Nil

  /** Applies to y and to x. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def header(domain: Domain, numbers: Seq[Double]): Header[ComomentsSketch] = ComomentsHeader(domain)
}

/** The parameters of an empty [[ComomentsSketch]]: the types of y and x. */
final case class ComomentsRecipe(domain: Domain, xDomain: Domain) extends Recipe[ComomentsSketch] {
  def family: Family[ComomentsSketch] = ComomentsSketches
  def numbers: Seq[Double] = Nil
  def empty: ComomentsSketch = new ComomentsSketch(domain, xDomain)

  /** The sums of whole numbers are exact. */
  override def mergesInAnyOrder: Boolean = !domain.isFloating && !xDomain.isFloating
}

/** The header of a stored sketch. The type of x is the first part of the payload. */
final case class ComomentsHeader(domain: Domain) extends Header[ComomentsSketch] {
  def family: Family[ComomentsSketch] = ComomentsSketches
  def numbers: Seq[Double] = Nil

  def read(reader: Wire.Reader): ComomentsSketch = {
    val kind = reader.byte()
    val xDomain = Domain.read(kind, reader.byte(), reader.byte())
      .filter(ComomentsSketches.takes)
      .getOrElse(throw reader.corrupt(s"its x have a type that is not numeric ($kind)"))
    val sketch = new ComomentsSketch(domain, xDomain)
    sketch.read(reader)
    sketch
  }
}
