package chronosketch.sliding.sampled

import chronosketch.rank.Phi
import chronosketch.sliding.{ElementSink, Elements, LargeFrames}

/** Which keys are the φ-quantiles of a frame, by a sample of it?
  *
  * Guarantee  rank error ≤ ε·n of the n elements of a frame, with probability ≥ 1 − δ for each
  * Cost       beside the sample's, a question to it where more than ε/2·n elements have come and gone since the last one. The elements
  *            are read again where they have become more than it was made for, or fewer than half as many
  * Source     Meijer 2011, §4.5 (docs/algorithms.md, Sampled frames). One half of ε is the sample's; when t elements have come or gone,
  *            a rank has moved by t at most
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

  def see(from: Long, until: Long): Unit = {
    if (sample == null || from >= right || !move(from, until)) begin(from, until)
    if (sample.count > 0 && changes > budget) ask()
  }

  /** Whether the sample was made for about so many elements. */
  private def move(from: Long, until: Long): Boolean = {
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

  private def ask(): Unit = {
    // a Bernoulli sample may be empty, however seldom: the last answer stays
    if (sample.size > 0) {
      var q = 0
      while (q < phis.length) { values(q) = sample.quantile(phis(q)); q += 1 }
    }
    budget = (epsilon / 2 * sample.count.toDouble / (1 + epsilon)).toLong
    changes = 0L
  }
}
