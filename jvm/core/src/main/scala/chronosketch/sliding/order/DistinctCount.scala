package chronosketch.sliding.order

import java.util.Arrays

/** Counts the distinct keys of every row's frame.
  *
  * Guarantee  exact; 0 for an empty frame
  * Cost       sorting stretches of a few frames' length; O(1) per element that arrives or leaves
  * Source     the multiplicity of each key, and the number of multiplicities above 0; the thesis of Meijer, 2011, table 3.1
  */
final class DistinctCount extends StretchWalk {
  private var counts = Array.empty[Int]
  private var distinct = 0

  protected def begin(): Unit = {
    if (counts.length < stretch.count) counts = new Array[Int](stretch.keys.length)
    else Arrays.fill(counts, 0, stretch.count, 0)
    distinct = 0
  }

  protected def arrive(number: Int): Unit = {
    if (counts(number) == 0) distinct += 1
    counts(number) += 1
  }

  protected def leave(number: Int): Unit = {
    counts(number) -= 1
    if (counts(number) == 0) distinct -= 1
  }

  protected def answer: Long = distinct.toLong
}
