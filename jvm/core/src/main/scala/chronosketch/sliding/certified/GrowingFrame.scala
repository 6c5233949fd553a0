package chronosketch.sliding.certified

import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna

/** Summarises a frame that only grows.
  *
  * Guarantee  rank error ≤ ε/2 of its elements while none leaves; each element that leaves may add one rank
  * Cost       that of [[GreenwaldKhanna]]
  * Source     Greenwald and Khanna 2001
  */
final class GrowingFrame(epsilon: Double) extends FrameSummary {
  private val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon)
  private var gone = 0L

  def capacity: Long = Long.MaxValue
  def append(key: Long): Unit = sketch.insert(key)
  def expire(elements: Long): Unit = gone += elements
  def count: Long = sketch.count - gone
  def stored: Long = sketch.tuples.toLong
  def sizeBytes: Long = Meter.ObjectBytes + sketch.sizeBytes
  def describe(ranks: FrameRanks): Unit = ranks.add(sketch.profile, gone)
}

object GrowingFrame extends FrameStructure("greenwald_khanna", "Greenwald–Khanna") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new GrowingFrame(epsilon)
}
