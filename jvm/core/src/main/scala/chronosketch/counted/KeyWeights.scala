package chronosketch.counted

import java.util.Arrays

/** Weights by key, with adding, removing, and searching by cumulative weight from the greatest key down.
  *
  * Guarantee  exact; weights that were removed have no effect on [[seek]]
  * Cost       for d distinct keys: [[add]] and [[remove]] take O(log d + 512) moves of neighbouring longs, [[seek]] O(d/256 + 512)
  *            additions; 16 to 32 bytes per key
  * Units      weights; the caller keeps their sum below 2⁶³
  *
  * The keys are stored in ascending order in blocks. A full block is split in two; a block with few keys is merged with its
  * neighbour.
  */
private[chronosketch] final class KeyWeights {
  import KeyWeights._

  private var keys = Array.ofDim[Long](1, BlockKeys)
  private var weights = Array.ofDim[Long](1, BlockKeys)
  private var sizes = new Array[Int](1)
  private var sums = new Array[Long](1)

  // a block contains the keys from its floor on and below the next block's; the floor was its least key when it was split off
  private var floors = Array(Long.MinValue)
  private var blocks = 1
  private var sum = 0L

  /** The sum of all weights. */
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

  /** Adds to the weight of a key. */
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
      if (size + 1 == BlockKeys) split(b)
    }
  }

  /** Subtracts from the weight of a key, which must be at least that large. */
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
      if (size - 1 < FewKeys && blocks > 1) {
        val left = if (b == 0) 0 else b - 1
        if (sizes(left) + sizes(left + 1) <= BlockKeys / 2) merge(left)
      }
    }
  }

  /** The greatest key k such that the keys from k up have at least `weight` in all. `weight` is from 1 to [[total]]. */
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

  private def split(b: Int): Unit = {
    if (blocks == sizes.length) {
      val room = 2 * blocks
      keys = Arrays.copyOf(keys, room)
      weights = Arrays.copyOf(weights, room)
      sizes = Arrays.copyOf(sizes, room)
      sums = Arrays.copyOf(sums, room)
      floors = Arrays.copyOf(floors, room)
    }
    shift(b + 1, b + 2)
    val half = BlockKeys / 2
    keys(b + 1) = new Array[Long](BlockKeys)
    weights(b + 1) = new Array[Long](BlockKeys)
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

  /** Moves the keys of the block to the right into this one. */
  private def merge(b: Int): Unit = {
    System.arraycopy(keys(b + 1), 0, keys(b), sizes(b), sizes(b + 1))
    System.arraycopy(weights(b + 1), 0, weights(b), sizes(b), sizes(b + 1))
    sizes(b) += sizes(b + 1)
    sums(b) += sums(b + 1)
    shift(b + 2, b + 1)
    blocks -= 1
    keys(blocks) = null
    weights(blocks) = null
  }

  /** Moves the blocks from `from` on to the position `to`. */
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

  /** The capacity of a block. */
  private val BlockKeys = 512

  /** A block with fewer keys than this is merged with its neighbour, if both fit into half a block. */
  private val FewKeys = 64
}
