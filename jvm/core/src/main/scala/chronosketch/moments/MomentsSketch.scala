package chronosketch.moments

import java.math.BigDecimal

import chronosketch.codec.Wire
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary._

/** How many values are there, what is their sum and mean, and how do they spread about it?
  *
  * Guarantee  whole numbers and decimals: every answer is the nearest double, or for a root within 1 ulp, as [[WholeTally]] says, and
  *            the same values are the same bytes, in whatever order and parts they came. FLOAT and DOUBLE: as [[DoubleTally]] says; a
  *            sum or mean is mostly the nearest double, and a large mean costs no digit of the others. Least and greatest are exact
  * Cost       a row is stored, and added up with others of its [[Block]]; some 130 bytes and the block, 70 to 130 stored
  * Units      keys of `domain`; answers in its values
  * Merge      legal when the value types widen
  * Source     Pébay 2008, §3; see [[WholeTally]] and [[DoubleTally]]
  */
final class MomentsSketch private[moments] (initialDomain: Domain) extends Inserts
    with Extremes
    with Moments
    with Metered {
  type Same = MomentsSketch

  private var currentDomain = initialDomain
  private val waiting = new Block(isOfPairs = false)
  private val rows = new Waiting(Tally.of(initialDomain), waiting)

  def family: Family[MomentsSketch] = MomentsSketches
  def domain: Domain = currentDomain
  def header: Header[MomentsSketch] = MomentsRecipe(currentDomain)
  def fresh: MomentsSketch = new MomentsSketch(currentDomain)

  def count: Long = rows.count

  def insert(key: Long): Unit = {
    if (!waiting.hasRoom) makeRoom()
    waiting.add(key)
  }

  def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      if (waiting.isFull) rows.settle()
      if (waiting.rows == 0 && until - i >= Block.Rows) {
        rows.settled.addBlock(keys, null, i, i + Block.Rows)
        i += Block.Rows
      } else { insert(keys(i)); i += 1 }
    }
  }

  def insert(key: Long, copies: Long): Unit =
    if (copies == 1) insert(key)
    else if (copies > 0) {
      ElementCount.requireRoom(count, copies)
      insert(key)
      waiting.repeat(copies)
    }

  private def makeRoom(): Unit =
    if (waiting.isFull) rows.settle()
    else {
      waiting.makeRoom()
      report()
    }

  protected def unite(that: MomentsSketch, wider: Domain): Unit = {
    rows.settle()
    rows.settled.unite(that.rows.seen)
    currentDomain = wider
  }

  private def of[A](answer: Tally => A): Option[A] = Option.when(count > 0)(answer(rows.seen))

  /** Key of the least value; none where nothing was seen. NaN is above all others. */
  def minimum: Option[Long] = of(_.least)
  def maximum: Option[Long] = of(_.greatest)

  /** The double nearest to the sum; of FLOAT and DOUBLE as near as [[Mean.times]] has it. */
  def sum: Option[Double] = of(_.sum(currentDomain))

  /** The sum with all its digits; none of FLOAT and DOUBLE. */
  def exactSum: Option[BigDecimal] = of(Some(_)).flatten.collect { case whole: WholeTally =>
    new BigDecimal(whole.exactSum, currentDomain.second)
  }

  def mean: Option[Double] = of(_.mean(currentDomain))

  /** What Spark answers to the statistic, or why there is none: as [[Statistic]] says. */
  def answer(statistic: Statistic): Answer = of(_.answer(statistic, currentDomain)).getOrElse(Answer.none)

  def variancePop: Option[Double] = answer(Statistic.VariancePop).toOption
  def varianceSamp: Option[Double] = answer(Statistic.VarianceSamp).toOption
  def stddevPop: Option[Double] = answer(Statistic.StddevPop).toOption
  def stddevSamp: Option[Double] = answer(Statistic.StddevSamp).toOption
  def skewness: Option[Double] = answer(Statistic.Skewness).toOption
  def kurtosis: Option[Double] = answer(Statistic.Kurtosis).toOption

  def moment(of: Moment): Option[Double] = of match {
    case Moment.Count => Some(count.toDouble)
    case Moment.Sum => sum
    case Moment.Mean => mean
    case Moment.Variance => varianceSamp
    case Moment.VariancePop => variancePop
    case Moment.Stddev => stddevSamp
    case Moment.StddevPop => stddevPop
  }

  def momentBounds(of: Moment): Option[MomentBounds] =
    if (of == Moment.Count) Some(MomentBounds.ofCount(count))
    else if (count == 0) None
    else moment(of).map(rows.seen.bounds(of, _, currentDomain))

  def write(writer: Wire.Writer): Unit = {
    count
    rows.seen.write(writer)
  }

  private[moments] def read(reader: Wire.Reader): Unit = rows.settled.read(reader, currentDomain)

  protected def heldBytes: Long = 4 * Meter.ObjectBytes + waiting.sizeBytes
}

/** The family of sketches of sums of powers. */
object MomentsSketches extends InsertingFamily[MomentsSketch] {
  val id = 9
  val name = "moments sketch"
  def aggregate: Seq[String] = Seq("moments_agg", "value")
  val parameters: Seq[Parameter] = Nil

  /** A square of a day means nothing. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def recipe(domain: Domain, numbers: Seq[Double]): MomentsRecipe = MomentsRecipe(domain)
}

/** What a sketch of moments is made of, and what stands before a stored one. */
final case class MomentsRecipe(domain: Domain) extends InsertingRecipe[MomentsSketch] {
  def family: Family[MomentsSketch] = MomentsSketches
  def numbers: Seq[Double] = Nil
  def empty: MomentsSketch = new MomentsSketch(domain)

  def read(reader: Wire.Reader): MomentsSketch = {
    val sketch = empty
    sketch.read(reader)
    sketch
  }
}
