package chronosketch.sliding.certified

import chronosketch.memory.Meter

/** Summarises any of the last R elements, the closer the fewer they are.
  *
  * Guarantee  rank error ≤ ε·n of the elements of every frame of n ≤ R
  * Cost       of one [[ArasuManku]] for each power of two from 2/ε up to R, built with ε/2
  * Source     Arasu and Manku 2004, §5, as Meijer 2011, §4.7.2 restates it (docs/algorithms.md, Variable Arasu–Manku)
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

  private def powerFrom(least: Double): Long = {
    var power = 1L
    while (power < least) power *= 2
    power
  }
}
