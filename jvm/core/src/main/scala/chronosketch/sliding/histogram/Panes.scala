package chronosketch.sliding.histogram

import java.util.ArrayDeque

import chronosketch.memory.Meter

/** Stores count, sum, mean, M2, least and greatest number of panes of equal width.
  *
  * Guarantee  the bounds always hold. They meet, up to rounding, if the frame begins at the start of a pane, which is always so
  *            if the width divides the slide. If the frame cuts a pane, its remaining p elements count as between p times its
  *            least and p times its greatest number
  * Cost       O(1) per number; a query reads all panes; 96 bytes per pane
  * Source     Meijer 2011, §4.4; departs: nothing is subtracted, frames may cut a pane
  *
  * If the frame may contain a NaN or an infinity, only the count has an answer: in a cut pane it is unknown whether that element
  * has left.
  */
final class Panes(width: Long) extends FrameNumbers {
  private val panes = new ArrayDeque[Panes.Pane]
  private var first = 0L // number of the first pane's first element
  private var filling: Panes.Pane = null
  private var arrived, left = 0L

  // M2 of numbers far from 0 keeps its digits, because distances from one of these numbers are used
  private var origin = 0.0

  def append(value: Double): Unit = {
    if (arrived == left && panes.isEmpty) {
      origin = if (Panes.isFinite(value)) value else 0.0
      filling = null
      first = arrived
    }
    if (filling == null) {
      filling = new Panes.Pane
      panes.addLast(filling)
    }
    filling.add(value, value - origin)
    arrived += 1
    if (filling.spread.n == width) filling = null
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (!panes.isEmpty && first + panes.peekFirst.spread.n <= left) {
      val gone = panes.removeFirst()
      first += gone.spread.n
      if (gone eq filling) filling = null
    }
  }

  def count: Long = arrived - left
  def stored: Long = 6L * panes.size
  def sizeBytes: Long = Meter.ObjectBytes + panes.size * (Panes.PaneBytes + 8L)

  def answer(question: FrameNumber, into: Bounds): Unit =
    if (question == FrameNumber.Count) into.exact(count.toDouble)
    else if (count == 0)
      if (question == FrameNumber.Sum) into.exact(0.0) else into.refuse(NoAnswer.NoElements)
    else if (!areFinite) into.refuse(NoAnswer.NotFinite)
    else if (question == FrameNumber.Variance) variance(into)
    else sum(if (question == FrameNumber.Sum) 1.0 else count.toDouble, into)

  private def areFinite: Boolean = {
    val all = panes.iterator
    while (all.hasNext) if (!Panes.isFinite(all.next().sum.value)) return false
    true
  }

  private def sum(parts: Double, into: Bounds): Unit = {
    val all = panes.iterator
    val cut = all.next()
    val whole = new CompensatedSum
    while (all.hasNext) whole.add(all.next().sum.value)
    val gone = left - first
    if (gone == 0) {
      whole.add(cut.sum.value)
      into.exact(whole.value / parts)
    } else {
      // bounds for the elements that remain in the cut pane: directly, and as its sum without those that left
      val p = (cut.spread.n - gone).toDouble
      val low = math.max(p * cut.least, cut.sum.value - gone * cut.greatest)
      val high = math.min(p * cut.greatest, cut.sum.value - gone * cut.least)
      val slack =
        4 * Math.ulp(math.abs(whole.value) + cut.spread.n * math.max(cut.greatest.abs, cut.least.abs))
      into.between((whole.value + low - slack) / parts, (whole.value + high + slack) / parts)
    }
  }

  private def variance(into: Bounds): Unit = {
    val rest = new Spread
    val all = panes.descendingIterator
    var pane = all.next()
    var reach = pane.reach(origin)
    while (all.hasNext) {
      rest.add(pane.spread.n, pane.spread.mean, pane.spread.m2)
      pane = all.next()
      reach = math.max(reach, pane.reach(origin))
    }
    val cut = new CutBucket
    val spread = pane.spread
    cut.bound(rest, spread.n - (left - first), spread.n, spread.mean, spread.m2, reach)
    into.between(cut.low / count, cut.high / count)
  }
}

object Panes extends NumberStructure("panes", "panes") {
  import FrameNumber._
  def isExact: Boolean = false
  def answers: Set[FrameNumber] = Set(Count, Sum, Mean, Variance)

  /** Uses the widest panes that no frame cuts. */
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers =
    new Panes(BigInt(capacity).gcd(BigInt(slide)).toLong)

  private val PaneBytes = 88L

  private def isFinite(value: Double): Boolean = math.abs(value) <= Double.MaxValue

  private final class Pane {
    val spread = new Spread
    val sum = new CompensatedSum
    var least = Double.PositiveInfinity
    var greatest = Double.NegativeInfinity

    def reach(from: Double): Double = math.max(math.abs(least - from), math.abs(greatest - from))

    def add(value: Double, distance: Double): Unit = {
      spread.add(distance)
      sum.add(value)
      least = math.min(least, value)
      greatest = math.max(greatest, value)
    }
  }
}
