package chronosketch.moments

import java.math.BigDecimal

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.Metered
import chronosketch.sliding.moments.Statistic
import chronosketch.summary._

/** Sketch of the count, sum, mean and central moments of a column.
  *
  * Guarantee  whole numbers and decimals: every answer is the nearest double, or within 1 ulp for a root (see [[WholeTally]]);
  *            the same values give the same bytes, in whatever order and parts they arrive. FLOAT and DOUBLE: see
  *            [[DoubleTally]]; a sum or mean is mostly the nearest double, and a large mean costs the other moments no digits.
  *            Least and greatest value are exact
  * Cost       a row is stored and added up with the others of its [[Block]]; some 130 bytes plus the block, 70 to 130 bytes
  *            encoded
  * Units      keys of `domain`; answers in its values
  * Merge      allowed if the value types widen
  * Source     Pébay 2008, §3; see [[WholeTally]] and [[DoubleTally]]
  */
final class MomentsSketch private[moments] (initialDomain: Domain) extends Inserts
    with Extremes
    with Moments
    with Metered {
  type Same = MomentsSketch

  private var currentDomain = initialDomain
  private val buffer = new Block(hasPairs = false)
  private val rows = new BufferedSums(Tally.of(initialDomain), buffer)

  def family: Family[MomentsSketch] = MomentsSketches
  def domain: Domain = currentDomain
  def header: Header[MomentsSketch] = MomentsRecipe(currentDomain)
  def newEmpty: MomentsSketch = new MomentsSketch(currentDomain)

  override def castObstacle(cast: Cast): Option[String] =
    Option.unless(rows.snapshot.isCastExact(cast))(
      "it has sums, which don't tell what the cast changes in each value"
    )

  def castBy(cast: Cast): MomentsSketch = {
    val other = new MomentsSketch(cast.to)
    if (count > 0) other.rows.flushed.unite(rows.snapshot.castBy(cast))
    other
  }

  def count: Long = rows.count

  def insert(key: Long): Unit = {
    if (!buffer.hasRoom) makeRoom()
    buffer.add(key)
  }

  def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      if (buffer.isFull) rows.flush()
      if (buffer.rows == 0 && until - i >= Block.Rows) {
        rows.flushed.addBlock(keys, null, i, i + Block.Rows)
        i += Block.Rows
      } else { insert(keys(i)); i += 1 }
    }
  }

  def insert(key: Long, copies: Long): Unit =
    if (copies == 1) insert(key)
    else if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      insert(key)
      buffer.setCopies(copies)
    }

  private def makeRoom(): Unit =
    if (buffer.isFull) rows.flush()
    else {
      buffer.grow()
      report()
    }

  protected def mergeChecked(that: MomentsSketch, wider: Domain): Unit = {
    rows.flush()
    rows.flushed.unite(that.rows.snapshot)
    currentDomain = wider
  }

  private def ifNonEmpty[A](answer: Tally => A): Option[A] = Option.when(count > 0)(answer(rows.snapshot))

  /** Key of the least value; None if the sketch is empty. NaN is greater than all other values. */
  def minimum: Option[Long] = ifNonEmpty(_.least)
  def maximum: Option[Long] = ifNonEmpty(_.greatest)

  /** The double nearest to the sum; for FLOAT and DOUBLE with the precision of [[Mean.times]]. */
  def sum: Option[Double] = ifNonEmpty(_.sum(currentDomain))

  /** The sum with all its digits; None for FLOAT and DOUBLE. */
  def exactSum: Option[BigDecimal] = ifNonEmpty(Some(_)).flatten.collect { case whole: WholeTally =>
    new BigDecimal(whole.exactSum, currentDomain.second)
  }

  def mean: Option[Double] = ifNonEmpty(_.mean(currentDomain))

  /** Spark's answer to the statistic, or the reason why there is none (see [[Statistic]]). */
  def answer(statistic: Statistic): StatisticAnswer =
    ifNonEmpty(_.answer(statistic, currentDomain)).getOrElse(StatisticAnswer.none)

  def variancePop: Option[Double] = answer(Statistic.VariancePop).toOption
  def varianceSamp: Option[Double] = answer(Statistic.VarianceSamp).toOption
  def stddevPop: Option[Double] = answer(Statistic.StddevPop).toOption
  def stddevSamp: Option[Double] = answer(Statistic.StddevSamp).toOption
  def skewness: Option[Double] = answer(Statistic.Skewness).toOption
  def kurtosis: Option[Double] = answer(Statistic.Kurtosis).toOption

  def moment(kind: Moment): Option[Double] = kind match {
    case Moment.Count => Some(count.toDouble)
    case Moment.Sum => sum
    case Moment.Mean => mean
    case Moment.Variance => varianceSamp
    case Moment.VariancePop => variancePop
    case Moment.Stddev => stddevSamp
    case Moment.StddevPop => stddevPop
  }

  def momentBounds(kind: Moment): Option[MomentBounds] =
    if (kind == Moment.Count) Some(MomentBounds.ofCount(count))
    else if (count == 0) None
    else moment(kind).map(rows.snapshot.bounds(kind, _, currentDomain))

  def write(writer: Wire.Writer): Unit = {
    count
    rows.snapshot.write(writer)
  }

  /** Writes the sums alone, for a reader that knows the count and the ends. */
  private[chronosketch] def writeSums(writer: Wire.Writer): Unit = rows.snapshot.writeRest(writer)

  private[moments] def readSums(reader: Wire.Reader, count: Long, least: Long, greatest: Long): Unit =
    rows.flushed.readRest(reader, count, least, greatest)

  private[moments] def read(reader: Wire.Reader): Unit = rows.flushed.read(reader, currentDomain)

  // the objects of sums take about as much whatever is summed
  protected def heldBytes: Long = 152L + buffer.sizeBytes
}

/** The family of [[MomentsSketch]]. */
object MomentsSketches extends InsertingFamily[MomentsSketch] {
  val id = 9
  val name = "moments sketch"
  def aggregate: Seq[String] = Seq("moments_agg", "value")
  val parameters: Seq[Parameter] = Nil

  /** Numeric types only: the square of a date, for example, has no meaning. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def recipe(domain: Domain, numbers: Seq[Double]): MomentsRecipe = MomentsRecipe(domain)
}

/** The parameters of a [[MomentsSketch]], and its header when stored. */
final case class MomentsRecipe(domain: Domain) extends InsertingRecipe[MomentsSketch] {
  def family: Family[MomentsSketch] = MomentsSketches
  def numbers: Seq[Double] = Nil
  def empty: MomentsSketch = new MomentsSketch(domain)

  /** The sums of whole numbers are exact. */
  override def mergesInAnyOrder: Boolean = !domain.isFloating

  def read(reader: Wire.Reader): MomentsSketch = {
    val sketch = empty
    sketch.read(reader)
    sketch
  }

  /** Reads what [[MomentsSketch.writeSums]] wrote, given the count, which is not 0, and the ends. */
  private[chronosketch] def readSums(
      reader: Wire.Reader,
      count: Long,
      least: Long,
      greatest: Long
  ): MomentsSketch = {
    val sketch = empty
    sketch.readSums(reader, count, least, greatest)
    sketch
  }
}
