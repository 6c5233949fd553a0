package chronosketch.sliding.sampled

import chronosketch.rank.Phi
import chronosketch.sliding.{ElementSink, Elements, LargeFrames}

/** Estimates the φ-quantiles of frames from a sample.
  *
  * Guarantee  rank error ≤ ε·n for the n elements of a frame, with probability ≥ 1 − δ for each frame
  * Cost       the sample's, plus a query of the sample whenever more than ε/2·n elements have arrived or left since the last one.
  *            The elements are read again if the frame has more than the sample was built for, or fewer than half as many
  * Source     Meijer 2011, §4.5 (docs/algorithms.md, Sampled frames). The sample uses one half of ε; the other half allows for
  *            changes, because t arrivals and departures move a rank by at most t
  */
final class SampledQuantiles(
    phis: Array[Phi],
    epsilon: Double,
    delta: Double,
    seed: Long,
    structure: SampleStructure[UniformSample],
    elements: Elements
) extends LargeFrames
    with ElementSink {
  private var sample: UniformSample = null
  private var left, right = 0L
  private var capacity = 0L
  private var changes, budget = 0L
  private var begun = 0L
  private val values = new Array[Long](phis.length)

  def count: Long = if (sample == null) 0L else sample.count
  def stored: Long = if (sample == null) 0L else sample.stored
  def sizeBytes: Long = if (sample == null) 0L else sample.sizeBytes
  def value(phi: Int): Long = values(phi)

  def append(key: Long): Unit = {
    sample.append(key)
    changes += 1
  }

  def moveTo(from: Long, until: Long): Unit = {
    if (sample == null || from >= right || !slide(from, until)) begin(from, until)
    if (sample.count > 0 && changes > budget) querySample()
  }

  /** Moves to another frame. Returns whether the sample's size suits it. */
  private def slide(from: Long, until: Long): Boolean = {
    elements.foreach(right, until, this)
    val gone = elements.count(left, from)
    sample.expire(gone)
    changes += gone
    left = from
    right = until
    sample.count <= capacity && 2 * sample.count >= capacity
  }

  def forget(): Unit = sample = null

  private def begin(from: Long, until: Long): Unit = {
    val n = elements.count(from, until)
    capacity = math.max(1L, n + n / 4)
    begun += 1
    sample = structure.of(capacity, epsilon / 2, delta, seed + begun)
    left = from
    right = until
    elements.foreach(from, until, this)
    changes = 1L
    budget = 0L
  }

  private def querySample(): Unit = {
    // a Bernoulli sample may be empty, though rarely: keep the last answer
    if (sample.size > 0) {
      var q = 0
      while (q < phis.length) { values(q) = sample.quantile(phis(q)); q += 1 }
    }
    budget = (epsilon / 2 * sample.count.toDouble / (1 + epsilon)).toLong
    changes = 0L
  }
}
