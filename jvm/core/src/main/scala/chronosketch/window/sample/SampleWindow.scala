package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.sample.{SampleBand, Sampled, SampleFamily, SampleSize}
import chronosketch.summary.{Family, Header, Parameter}

/** The sample of one window, taken from a [[WindowSample]].
  *
  * Guarantee  given the number of sampled rows in the window, all sets of that size are equally likely; all bounds hold together
  *            with probability [[confidence]]. The number of rows in the window lies between two certain bounds
  * Cost       taking it sorts the stored rows from its beginning on; 16 bytes per value
  * Units      keys of `domain`
  * Merge      allowed if the value types widen, for any windows; the result has the smaller size and the greater δ. The samples
  *            must have been drawn independently, so they must not be overlapping windows of one sketch
  * Source     docs/algorithms.md, Samples of windows
  */
final class SampleWindow private[sample] (
    initialDomain: Domain,
    initialSize: Int,
    initialDelta: Double,
    initialPopulation: SampleBand.Population,
    initialSuffix: Suffix
) extends Sampled
    with Metered {
  type Same = SampleWindow

  private var currentDomain = initialDomain
  private var currentSize = initialSize
  private var currentDelta = initialDelta
  private var population = initialPopulation
  private var suffix = initialSuffix
  private var cachedProfiles: SampleBand.Profiles = null

  def family: Family[SampleWindow] = SampleWindows
  def domain: Domain = currentDomain
  def header: Header[SampleWindow] = ownHeader
  def newEmpty: SampleWindow = ownHeader.empty
  def castBy(cast: Cast): SampleWindow = {
    val header = ownHeader.copy(domain = cast.to)
    if (population.most == 0) header.empty
    else {
      val ends = population.copy(floor = cast(population.floor), ceiling = cast(population.ceiling))
      header.of(ends, suffix.castBy(cast))
    }
  }
  private def ownHeader: SampleWindowHeader = SampleWindowHeader(currentDomain, currentSize, currentDelta)

  def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)
  private[chronosketch] def delta: Double = currentDelta

  /** The best estimate: the middle of the bounds. */
  def count: Long = population.middle
  override def countBounds: (Long, Long) = (population.least, population.most)
  override private[chronosketch] def maxCount: Long = population.most

  def values: Array[Long] = suffix.keys.clone()

  /** The ends of all rows if they are known, otherwise those of the sample. */
  override def minimum: Option[Long] =
    if (population.areEndsAttained && count > 0) Some(population.floor) else suffix.keys.headOption
  override def maximum: Option[Long] =
    if (population.areEndsAttained && count > 0) Some(population.ceiling) else suffix.keys.lastOption

  private[chronosketch] def profiles: SampleBand.Profiles = {
    if (cachedProfiles == null)
      cachedProfiles =
        if (population.most == 0) SampleBand.Nothing
        else SampleBand.of(suffix.keys, population, currentDelta)
    cachedProfiles
  }

  protected def mergeChecked(that: SampleWindow, wider: Domain): Unit = {
    currentDomain = wider
    currentSize = math.min(currentSize, that.currentSize)
    currentDelta = math.max(currentDelta, that.currentDelta)
    population = SampleBand.Population(
      population.least + that.population.least,
      population.most + that.population.most,
      math.min(population.floor, that.population.floor),
      math.max(population.ceiling, that.population.ceiling),
      areEndsAttained = false
    )
    suffix = suffix.union(that.suffix, currentSize)
    cachedProfiles = null
    report()
  }

  def write(writer: Wire.Writer): Unit = {
    writer.varint(population.least)
    writer.varint(population.most - population.least)
    if (population.most > 0) {
      writer.zigzag(population.floor)
      writer.varint(population.ceiling - population.floor)
      RowsWire.write(writer, suffix, population.floor)
    }
  }

  protected def heldBytes: Long =
    Meter.ObjectBytes + 2 * Meter.longs(suffix.keys.length) + Meter.longs(suffix.laterPriorities.length)
}

/** The family of [[SampleWindow]]. Rows are never inserted into these: they are taken from a sketch, and merged. */
object SampleWindows extends Family[SampleWindow] {
  val id = 17
  val name = "sampled window"
  def aggregate: Seq[String] = WindowSamples.aggregate
  override def isArgument(parameter: Parameter): Boolean = WindowSamples.isArgument(parameter)
  val parameters: Seq[Parameter] = Seq(SampleFamily.Size, SampleFamily.Delta)

  def header(domain: Domain, numbers: Seq[Double]): Header[SampleWindow] =
    SampleWindowHeader(domain, numbers(0).toInt, numbers(1))
}

/** The header of a stored sample of a window. The payload contains the rows. */
final case class SampleWindowHeader(domain: Domain, size: Int, delta: Double) extends Header[SampleWindow] {
  def family: Family[SampleWindow] = SampleWindows
  def numbers: Seq[Double] = Seq(size.toDouble, delta)

  /** A window without rows. */
  private[sample] def empty: SampleWindow = {
    val nothing = SampleBand.Population(0L, 0L, Long.MaxValue, Long.MinValue, areEndsAttained = false)
    new SampleWindow(domain, size, delta, nothing, Suffix.Nothing)
  }

  private[sample] def of(population: SampleBand.Population, suffix: Suffix): SampleWindow =
    if (population.most == 0) empty else new SampleWindow(domain, size, delta, population, suffix)

  def read(reader: Wire.Reader): SampleWindow = {
    val least = reader.varint()
    val most = least + reader.varint()
    if (least < 0 || most < least) throw reader.corrupt("its count has more than 63 bits")
    if (most == 0) empty
    else {
      val floor = reader.zigzag()
      val ceiling = floor + reader.varint()
      if (ceiling < floor || !domain.holds(floor) || !domain.holds(ceiling))
        throw reader.corrupt(s"its values are from $floor to $ceiling")
      val suffix = RowsWire.read(reader, domain, size, floor, ceiling, m => m == least && m == most)
      if (suffix.keys.length > least)
        throw reader.corrupt(s"it has ${suffix.keys.length} of $least values")
      of(SampleBand.Population(least, most, floor, ceiling, areEndsAttained = false), suffix)
    }
  }
}
