package chronosketch.summary

import java.util.Arrays

/** Exact answers for tests: the sorted keys with their counts. */
final class ExactBag private (val keys: Array[Long], private val atMost: Array[Long]) {
  def isEmpty: Boolean = keys.isEmpty
  def count: Long = if (isEmpty) 0L else atMost.last
  def distinct: Int = keys.length

  /** Number of elements ≤ key. */
  def rank(key: Long): Long = {
    val i = Arrays.binarySearch(keys, key)
    val at = if (i >= 0) i else -i - 2
    if (at < 0) 0L else atMost(at)
  }

  /** The element at a rank, from 1. */
  def at(rank: Long): Long = {
    val i = Arrays.binarySearch(atMost, rank)
    keys(if (i >= 0) i else -i - 1)
  }

  /** The distance of `rank` from the ranks of `key`; 0 if `key` has this rank. */
  def error(key: Long, rank: Long): Long = {
    val i = Arrays.binarySearch(keys, key)
    if (i < 0) Long.MaxValue
    else math.max(0L, math.max(rank - atMost(i), (if (i == 0) 0L else atMost(i - 1)) + 1 - rank))
  }
}

object ExactBag {
  def of(all: Array[Long]): ExactBag = {
    val sorted = all.clone()
    Arrays.sort(sorted)
    val keys, atMost = Array.newBuilder[Long]
    sorted.indices.foreach { i =>
      if (i + 1 == sorted.length || sorted(i + 1) != sorted(i)) {
        keys += sorted(i)
        atMost += i + 1L
      }
    }
    new ExactBag(keys.result(), atMost.result())
  }

  def of(copies: Map[Long, Long]): ExactBag = {
    val sorted = copies.toArray.filter(_._2 > 0).sortBy(_._1)
    new ExactBag(sorted.map(_._1), sorted.map(_._2).scanLeft(0L)(_ + _).tail)
  }
}
