package chronosketch.sliding.certified

import scala.collection.mutable.ArrayDeque

import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile

/** Summarises the last R elements and any suffix of them, in blocks of dyadic lengths.
  *
  * Guarantee  rank error ≤ ε·R for every frame of at most R elements
  * Cost       one insertion into a Greenwald–Khanna summary for each of at most ⌈log₂ 4/ε⌉ + 1 levels; O(1/ε · log² 1/ε) stored
  *            values
  * Source     Arasu and Manku, Approximate counts and quantiles over sliding windows, 2004, §4, as restated by Meijer 2011,
  *            §4.7.2 (docs/algorithms.md, Arasu–Manku); departs: blocks store rank bounds with their quantiles, levels longer
  *            than R are omitted, and of a block that the frame's start cuts only the remaining elements count
  *
  * Level l has blocks of (εR/4)·2^l elements, and stores quantiles ε_l = ε/(2(2L+2))·2^{L−l} apart for each of them.
  */
final class ArasuManku(val capacity: Long, epsilon: Double) extends FrameSummary {
  private val highest = math.ceil(math.log(4 / epsilon) / math.log(2)).toInt
  private val shortest = math.max(1L, (epsilon * capacity.toDouble / 4).toLong)
  private val levels = Array.tabulate(highest + 1) { l =>
    new ArasuManku.Level(shortest << l, epsilon / (2 * (2 * highest + 2)) * (1L << (highest - l)).toDouble)
  }.takeWhile(level => level.length <= math.max(capacity, shortest))

  // elements that are not in the levels yet
  private val buffer = new Array[Long](math.min(shortest, ArasuManku.MostBuffered.toLong).toInt)
  private var buffered = 0
  private var room = buffer.length

  private var arrived = 0L // number of elements inserted into the levels
  private var left = 0L

  def count: Long = arrived + buffered - left

  def append(key: Long): Unit = {
    buffer(buffered) = key
    buffered += 1
    if (buffered == room) flush()
  }

  private def flush(): Unit = if (buffered > 0) {
    arrived += buffered
    room = math.min(buffer.length.toLong, shortest - arrived % shortest).toInt
    var l = 0
    while (l < levels.length) {
      levels(l).append(buffer, buffered, arrived)
      l += 1
    }
    buffered = 0
  }

  def expire(elements: Long): Unit = {
    left += elements
    var l = 0
    while (l < levels.length) { levels(l).expire(left); l += 1 }
  }

  def stored: Long = levels.map(_.stored).sum + buffered

  def sizeBytes: Long = Meter.ObjectBytes + Meter.longs(buffer.length) + levels.map(_.sizeBytes).sum

  /** Covers the frame with complete blocks, the longest ones first. */
  def describe(ranks: FrameRanks): Unit = {
    flush()
    var from, until = -1L // the range covered so far
    var l = levels.length - 1
    while (l >= 0) {
      val level = levels(l)
      val length = level.length
      if (from < 0 && arrived / length > (left + length - 1) / length) {
        from = (left + length - 1) / length * length
        until = from
      }
      if (from >= 0) {
        while (from - length >= left) { from -= length; ranks.add(level.block(from), 0L) }
        while (until + length <= arrived) { ranks.add(level.block(until), 0L); until += length }
      }
      l -= 1
    }
    if (from < 0) {
      from = arrived / shortest * shortest
      until = from
    }
    if (left < from) ranks.add(levels(0).block(from - shortest), left - (from - shortest))
    if (arrived > until) ranks.add(levels(0).unfinished, math.max(0L, left - until))
  }
}

object ArasuManku extends FrameStructure("arasu_manku", "Arasu–Manku") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new ArasuManku(capacity, epsilon)

  private val MostBuffered = 4096

  /** Blocks of one length: the quantiles of the complete ones, and a sketch of the current one. */
  private final class Level(val length: Long, epsilon: Double) {
    private val blocks = new ArrayDeque[RankProfile]
    private var first = 0L // start of the oldest stored block
    private var filling = newSketch()

    private def newSketch() = new GreenwaldKhanna(Domain.BigInt, math.min(0.5, epsilon))

    def append(keys: Array[Long], n: Int, arrived: Long): Unit = {
      filling.insertAll(keys, 0, n)
      if (arrived % length == 0) {
        blocks.append(filling.profile.thinned((2 * epsilon * length.toDouble).toLong))
        filling = newSketch()
      }
    }

    def expire(left: Long): Unit = while (blocks.nonEmpty && first + length <= left) {
      blocks.removeHead()
      first += length
    }

    /** The complete block that starts at `from`. */
    def block(from: Long): RankProfile = blocks(((from - first) / length).toInt)

    def unfinished: RankProfile = filling.profile

    def stored: Long = blocks.foldLeft(filling.tuples.toLong)((sum, block) => sum + block.size)

    def sizeBytes: Long =
      blocks.foldLeft(Meter.ObjectBytes + Meter.references(blocks.size) + filling.sizeBytes)(_ + _.sizeBytes)
  }
}

/** Summarises the last R elements and any suffix of them, with an error relative to the suffix.
  *
  * Guarantee  rank error ≤ ε·n for every frame of n ≤ R elements
  * Cost       one [[ArasuManku]] with ε/2 for each power of two from 2/ε up to R
  * Source     Arasu and Manku 2004, §5, as restated by Meijer 2011, §4.7.2 (docs/algorithms.md, Variable Arasu–Manku)
  */
final class ArasuMankuVariable(val capacity: Long, epsilon: Double) extends FrameSummary {
  private val sketches =
    Iterator.iterate(ArasuMankuVariable.powerFrom(2 / epsilon))(_ * 2)
      .takeWhile(_ < 2 * ArasuMankuVariable.powerFrom(math.max(capacity.toDouble, 2 / epsilon)))
      .map(new ArasuManku(_, epsilon / 2)).toArray
  private var elements = 0L

  def count: Long = elements

  def append(key: Long): Unit = {
    elements += 1
    var i = 0
    while (i < sketches.length) {
      val sketch = sketches(i)
      sketch.append(key)
      if (sketch.count > sketch.capacity) sketch.expire(1L)
      i += 1
    }
  }

  def expire(gone: Long): Unit = {
    elements -= gone
    sketches.foreach(s => if (s.count > elements) s.expire(s.count - elements))
  }

  def stored: Long = sketches.map(_.stored).sum

  def sizeBytes: Long = Meter.ObjectBytes + sketches.map(_.sizeBytes).sum

  def describe(ranks: FrameRanks): Unit =
    sketches.find(_.capacity >= elements).getOrElse(sketches.last).describe(ranks)
}

object ArasuMankuVariable extends FrameStructure("arasu_manku_variable", "variable Arasu–Manku") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new ArasuMankuVariable(capacity, epsilon)

  private def powerFrom(minimum: Double): Long = {
    var power = 1L
    while (power < minimum) power *= 2
    power
  }
}
