package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.sample.{SampleBand, Sampled, SampleSize}
import chronosketch.summary.{Family, Header}

/** Which values does one window have, by a sample of its rows?
  *
  * Guarantee  given how many rows of the window it has, each set of as many is as likely as any other; its bounds hold all at once with
  *            the probability [[confidence]]. How many rows the window has lies between two bounds, for certain
  * Cost       taking it: a sort of the rows that are kept from its beginning on; 16 bytes a value
  * Units      keys of `domain`
  * Merge      legal when the value types widen, whatever the windows: the smaller size counts, and the greater δ. They must have been
  *            drawn independently, and so not be windows of one sketch that overlap
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
  private var latest: SampleBand.Known = null

  def family: Family[SampleWindow] = SampleWindows
  def domain: Domain = currentDomain
  def header: Header[SampleWindow] = ownHeader
  def fresh: SampleWindow = ownHeader.empty
  private def ownHeader: SampleWindowHeader = SampleWindowHeader(currentDomain, currentSize, currentDelta)

  def epsilon: Double = SampleSize.width(currentSize.toLong, currentDelta / 2)
  private[chronosketch] def delta: Double = currentDelta

  /** The best estimate: the middle of what is certain. */
  def count: Long = population.middle
  override def countBounds: (Long, Long) = (population.least, population.most)
  override private[chronosketch] def held: Long = population.most

  def values: Array[Long] = suffix.keys.clone()

  /** The ends of the sample, where the rows' own are not known. */
  override def minimum: Option[Long] =
    if (population.isReached && count > 0) Some(population.floor) else suffix.keys.headOption
  override def maximum: Option[Long] =
    if (population.isReached && count > 0) Some(population.ceiling) else suffix.keys.lastOption

  private[chronosketch] def known: SampleBand.Known = {
    if (latest == null)
      latest =
        if (population.most == 0) SampleBand.Nothing
        else SampleBand.of(suffix.keys, population, currentDelta)
    latest
  }

  protected def unite(that: SampleWindow, wider: Domain): Unit = {
    currentDomain = wider
    currentSize = math.min(currentSize, that.currentSize)
    currentDelta = math.max(currentDelta, that.currentDelta)
    population = SampleBand.Population(
      population.least + that.population.least,
      population.most + that.population.most,
      math.min(population.floor, that.population.floor),
      math.max(population.ceiling, that.population.ceiling),
      isReached = false
    )
    suffix = suffix.union(that.suffix, currentSize)
    latest = null
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
    Meter.ObjectBytes + 2 * Meter.longs(suffix.keys.length) + Meter.longs(suffix.others.length)
}
