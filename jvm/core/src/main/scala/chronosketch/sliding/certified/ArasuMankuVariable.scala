package chronosketch.sliding.certified

import chronosketch.memory.Meter

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
