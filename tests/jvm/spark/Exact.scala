package chronosketch.spark

import java.math.{BigDecimal, RoundingMode}

/** What sorting answers: the truth that sketches are held to. */
object Exact {

  /** The rank sought, from 1: max(1, ⌈φn⌉), φ by its digits. */
  def rank(phi: String, n: Int): Int =
    new BigDecimal(phi).multiply(BigDecimal.valueOf(n.toLong)).setScale(
      0,
      RoundingMode.CEILING
    ).intValueExact.max(1)

  def quantile[A](sorted: IndexedSeq[A], phi: String): A = sorted(rank(phi, sorted.size) - 1)

  /** How many elements at the front a condition holds for, that holds for no other. */
  private def atFront[A](sorted: IndexedSeq[A])(holds: A => Boolean): Int = {
    var (low, high) = (0, sorted.size)
    while (low < high) {
      val middle = (low + high) / 2
      if (holds(sorted(middle))) low = middle + 1 else high = middle
    }
    low
  }

  /** By how many ranks an answer misses: it has all the ranks of the elements equal to it. */
  def rankError[A](sorted: IndexedSeq[A], phi: String, answer: A)(implicit order: Ordering[A]): Int = {
    val first = atFront(sorted)(order.lt(_, answer)) + 1
    val last = atFront(sorted)(order.lteq(_, answer))
    assert(last >= first, s"$answer is not one of the values")
    val sought = rank(phi, sorted.size)
    math.max(0, math.max(first - sought, sought - last))
  }
}
