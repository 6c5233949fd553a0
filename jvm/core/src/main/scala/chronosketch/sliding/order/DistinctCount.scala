package chronosketch.sliding.order

import java.util.Arrays

/** How many distinct keys does every row's frame have?
  *
  * Guarantee  exact; none of an empty frame
  * Cost       the sorting of stretches of a few frames' length; O(1) an element that comes or goes
  * Source     how often each key is there, and how many of these numbers are not 0; the thesis of Meijer, 2011, table 3.1
  */
final class DistinctCount extends StretchWalk {
  private var counts = Array.empty[Int]
  private var seen = 0

  protected def begin(): Unit = {
    if (counts.length < stretch.count) counts = new Array[Int](stretch.keys.length)
    else Arrays.fill(counts, 0, stretch.count, 0)
    seen = 0
  }

  protected def arrive(number: Int): Unit = {
    if (counts(number) == 0) seen += 1
    counts(number) += 1
  }

  protected def leave(number: Int): Unit = {
    counts(number) -= 1
    if (counts(number) == 0) seen -= 1
  }

  protected def answer: Long = seen.toLong
}
