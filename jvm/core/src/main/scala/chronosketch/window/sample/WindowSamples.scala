package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.sample.{SampleFamily, StreamIds}
import chronosketch.summary.{Family, Header, Parameter, Recipe}
import chronosketch.window.{Windowed, WindowWire}

/** The family of [[WindowSample]]. */
object WindowSamples extends Family[WindowSample] {
  val id = 16
  val name = "window sample"
  def aggregate: Seq[String] = Seq("window_sample_agg", "value", "event_time")
  override def isArgument(parameter: Parameter): Boolean = parameter != SampleFamily.Delta

  val parameters: Seq[Parameter] = SampleFamily.parameters

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowSample] =
    WindowSampleHeader(domain, numbers(0).toInt, numbers(1).toLong, numbers(2))
}

/** The parameters of a [[WindowSample]]: the types of values and times, the sample size, the random seed, δ and the retention. */
final case class WindowSampleRecipe(
    domain: Domain,
    timeDomain: Domain,
    size: Int,
    seed: Long,
    delta: Double,
    retention: Long
)(streamIds: StreamIds)
    extends Recipe[WindowSample] {
  def family: Family[WindowSample] = WindowSamples
  def numbers: Seq[Double] = Seq(size.toDouble, seed.toDouble, delta)
  def empty: WindowSample = new WindowSample(this, streamIds.next())

  override def inPart(part: Int): WindowSampleRecipe = copy()(new StreamIds.InPart(part))

  override protected def text: String =
    if (retention == Windowed.KeepAll) family.name else s"${family.name} of the last $retention"
}

object WindowSampleRecipe {

  /** The parameters of a single sample, built outside a partitioned query. */
  def alone(
      domain: Domain,
      timeDomain: Domain,
      size: Int,
      seed: Long,
      delta: Double,
      retention: Long
  ): WindowSampleRecipe =
    WindowSampleRecipe(domain, timeDomain, size, seed, delta, retention)(StreamIds.Alone)
}

/** The header of a stored window sample. The payload contains the rest. */
final case class WindowSampleHeader(domain: Domain, size: Int, seed: Long, delta: Double)
    extends Header[WindowSample] {
  def family: Family[WindowSample] = WindowSamples
  def numbers: Seq[Double] = Seq(size.toDouble, seed.toDouble, delta)

  def read(reader: Wire.Reader): WindowSample = {
    val sample = WindowWire.read(reader, empty(reader), CountsWire)
    sample.read(reader)
    sample
  }

  private def empty(reader: Wire.Reader)(
      times: Domain,
      retention: Long,
      filters: Vector[String]
  ): WindowSample = {
    if (filters.nonEmpty) throw reader.corrupt("it has filters, but samples have none")
    WindowSampleRecipe.alone(domain, times, size, seed, delta, retention).empty
  }
}
