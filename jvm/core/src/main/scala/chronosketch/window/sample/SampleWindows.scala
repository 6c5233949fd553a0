package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.sample.{SampleBand, SampleFamily}
import chronosketch.summary.{Family, Header, Parameter}

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
