package chronosketch.counted

import java.util.Arrays

/** Which key does a weight from the greatest down first reach, while keys come and go?
  *
  * Guarantee  exact; what came and went leaves no trace in what [[seek]] finds
  * Cost       d distinct keys: O(log d + 512) moves of neighbouring longs a key, a search O(d/256 + 512) additions; 16 bytes a key and
  *            as much again at most
  * Units      weights, all together within 63 bits: whoever adds sees to that
  *
  * Blocks of rising keys, the blocks rising as well: one that is full is cut in two, one that is left with few joins its neighbour.
  */
private[chronosketch] final class KeyWeights {
  import KeyWeights._

  private var keys = Array.ofDim[Long](1, Most)
  private var weights = Array.ofDim[Long](1, Most)
  private var sizes = new Array[Int](1)
  private var sums = new Array[Long](1)

  // each block's least key when it was cut or joined: keys above it and below the next one's are its own
  private var floors = Array(Long.MinValue)
  private var blocks = 1
  private var sum = 0L

  /** Of all keys. */
  def total: Long = sum

  def clear(): Unit = {
    keys = Array(keys(0))
    weights = Array(weights(0))
    sizes = new Array[Int](1)
    sums = new Array[Long](1)
    floors = Array(Long.MinValue)
    blocks = 1
    sum = 0L
  }

  /** As much more of a key. */
  def add(key: Long, weight: Long): Unit = {
    val b = blockOf(key)
    val (k, w, size) = (keys(b), weights(b), sizes(b))
    val at = Arrays.binarySearch(k, 0, size, key)
    sum += weight
    sums(b) += weight
    if (at >= 0) w(at) += weight
    else {
      val place = -at - 1
      System.arraycopy(k, place, k, place + 1, size - place)
      System.arraycopy(w, place, w, place + 1, size - place)
      k(place) = key
      w(place) = weight
      sizes(b) = size + 1
      if (size + 1 == Most) cut(b)
    }
  }

  /** As much less of a key that has it. */
  def remove(key: Long, weight: Long): Unit = {
    val b = blockOf(key)
    val (k, w, size) = (keys(b), weights(b), sizes(b))
    val at = Arrays.binarySearch(k, 0, size, key)
    sum -= weight
    sums(b) -= weight
    w(at) -= weight
    if (w(at) == 0L) {
      System.arraycopy(k, at + 1, k, at, size - at - 1)
      System.arraycopy(w, at + 1, w, at, size - at - 1)
      sizes(b) = size - 1
      if (size - 1 < Few && blocks > 1) {
        val left = if (b == 0) 0 else b - 1
        if (sizes(left) + sizes(left + 1) <= Most / 2) join(left)
      }
    }
  }

  /** Where the weight from the greatest key down first reaches `weight`, from 1 to [[total]]. */
  def seek(weight: Long): Long = {
    var b = blocks - 1
    var rest = weight
    while (sums(b) < rest) { rest -= sums(b); b -= 1 }
    val w = weights(b)
    var at = sizes(b) - 1
    while (w(at) < rest) { rest -= w(at); at -= 1 }
    keys(b)(at)
  }

  private def blockOf(key: Long): Int = {
    val at = Arrays.binarySearch(floors, 0, blocks, key)
    if (at >= 0) at else -at - 2
  }

  private def cut(b: Int): Unit = {
    if (blocks == sizes.length) {
      val room = 2 * blocks
      keys = Arrays.copyOf(keys, room)
      weights = Arrays.copyOf(weights, room)
      sizes = Arrays.copyOf(sizes, room)
      sums = Arrays.copyOf(sums, room)
      floors = Arrays.copyOf(floors, room)
    }
    shift(b + 1, b + 2)
    val half = Most / 2
    keys(b + 1) = new Array[Long](Most)
    weights(b + 1) = new Array[Long](Most)
    System.arraycopy(keys(b), half, keys(b + 1), 0, half)
    System.arraycopy(weights(b), half, weights(b + 1), 0, half)
    floors(b + 1) = keys(b + 1)(0)
    sizes(b + 1) = half
    sizes(b) = half
    sums(b + 1) = 0L
    var i = 0
    while (i < half) { sums(b + 1) += weights(b + 1)(i); i += 1 }
    sums(b) -= sums(b + 1)
    blocks += 1
  }

  /** The block to the right goes into this one. */
  private def join(b: Int): Unit = {
    System.arraycopy(keys(b + 1), 0, keys(b), sizes(b), sizes(b + 1))
    System.arraycopy(weights(b + 1), 0, weights(b), sizes(b), sizes(b + 1))
    sizes(b) += sizes(b + 1)
    sums(b) += sums(b + 1)
    shift(b + 2, b + 1)
    blocks -= 1
    keys(blocks) = null
    weights(blocks) = null
  }

  /** The blocks from one on, to another place. */
  private def shift(from: Int, to: Int): Unit = {
    val n = blocks - from
    System.arraycopy(keys, from, keys, to, n)
    System.arraycopy(weights, from, weights, to, n)
    System.arraycopy(sizes, from, sizes, to, n)
    System.arraycopy(sums, from, sums, to, n)
    System.arraycopy(floors, from, floors, to, n)
  }
}

private object KeyWeights {

  /** Keys that a block has room for, and so few that it looks for company. */
  private val Most = 512
  private val Few = 64
}
