package chronosketch.spark

import java.math.{BigDecimal, RoundingMode}

/** The exact answers, by sorting. Sketches are compared with them. */
object Exact {

  /** The rank of the φ-quantile, from 1: max(1, ⌈φn⌉), computed from the decimal digits of φ. */
  def rank(phi: String, n: Int): Int =
    new BigDecimal(phi).multiply(BigDecimal.valueOf(n.toLong)).setScale(
      0,
      RoundingMode.CEILING
    ).intValueExact.max(1)

  def quantile[A](sorted: IndexedSeq[A], phi: String): A = sorted(rank(phi, sorted.size) - 1)

  /** The number of leading elements that satisfy a condition, which no element after them satisfies. */
  private def atFront[A](sorted: IndexedSeq[A])(holds: A => Boolean): Int = {
    var (low, high) = (0, sorted.size)
    while (low < high) {
      val middle = (low + high) / 2
      if (holds(sorted(middle))) low = middle + 1 else high = middle
    }
    low
  }

  /** The rank error of an answer. An answer has all the ranks of the elements equal to it. */
  def rankError[A](sorted: IndexedSeq[A], phi: String, answer: A)(implicit order: Ordering[A]): Int = {
    val first = atFront(sorted)(order.lt(_, answer)) + 1
    val last = atFront(sorted)(order.lteq(_, answer))
    assert(last >= first, s"$answer is not one of the values")
    val target = rank(phi, sorted.size)
    math.max(0, math.max(first - target, target - last))
  }
}
