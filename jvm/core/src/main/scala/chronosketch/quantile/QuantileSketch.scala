package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.summary.{Envelope, Family, Parameter}

/** The family of rank-certified quantile sketches: [[GreenwaldKhanna]] summaries, exact bags where epsilon is 0. */
object QuantileSketch extends Family {
  val id = 1
  val name = "quantile sketch"

  val Epsilon: Parameter = Parameter("epsilon", default = 1e-3, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def empty(domain: Domain, parameters: Array[Double]): GreenwaldKhanna =
    new GreenwaldKhanna(domain, parameters(0))

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): GreenwaldKhanna =
    GreenwaldKhannaWire.read(reader, empty(domain, parameters))

  /** Up to 2/ε tuples nothing is dropped, whenever values are summarised. */
  override def mostInBag(parameters: Array[Double]): Int = (2 / parameters(0)).toInt

  override def insertsSingly(copies: Long): Boolean = copies < GreenwaldKhanna.HeavyCopies

  override def ofBag(
      domain: Domain,
      parameters: Array[Double],
      keys: Array[Long],
      settled: Int,
      n: Int
  ): GreenwaldKhanna = {
    val sketch = empty(domain, parameters)
    val restored = if (settled <= mostInBag(parameters)) settled else 0
    if (restored > 0) {
      Arrays.sort(keys, 0, restored)
      sketch.restoreBag(keys, restored)
    }
    var i = restored
    while (i < n) { sketch.insert(keys(i)); i += 1 }
    sketch
  }

  /** The first n of an array, which are sorted in place; all are kept. */
  private[chronosketch] def ofKeys(
      domain: Domain,
      epsilon: Double,
      keys: Array[Long],
      n: Int
  ): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    GreenwaldKhanna.scratch.get().sorting.sort(keys, n)
    if (n > 0) sketch.restoreBag(keys, n)
    sketch
  }

  /** Exact where inserting one by one would be; else the keys at every ⌊εn⌋-th rank, of which each rank is certain. */
  override def ofCounts(
      domain: Domain,
      parameters: Array[Double],
      counted: CountedKeys
  ): GreenwaldKhanna = {
    val sketch = empty(domain, parameters)
    if (counted.onceOrTwice <= 2 / parameters(0)) sketch.restoreCounts(counted)
    else sketch.restoreRanks(counted, GreenwaldKhanna.share(parameters(0), counted.total))
    sketch
  }

  override def readSmall(
      reader: Wire.Reader,
      domain: Domain,
      parameters: Array[Double],
      alone: Boolean,
      into: Array[Long]
  ): Int =
    if (alone) GreenwaldKhannaWire.readBag(reader, domain, into, into.length, Long.MaxValue)
    else GreenwaldKhanna.readFew(reader, domain, parameters(0), into)

  override def sealSmall(
      domain: Domain,
      parameters: Array[Double],
      keys: Array[Long],
      n: Int
  ): Array[Byte] =
    if (n > mostInBag(parameters)) super.sealSmall(domain, parameters, keys, n)
    else {
      Arrays.sort(keys, 0, n)
      val w = new Wire.Writer(HeaderBytes + GreenwaldKhannaWire.BytesAKey * n)
      Envelope.start(w, this, domain, parameters)
      GreenwaldKhannaWire.writeBag(w, keys, n)
      Envelope.finish(w)
    }

  private val HeaderBytes = 40
}
