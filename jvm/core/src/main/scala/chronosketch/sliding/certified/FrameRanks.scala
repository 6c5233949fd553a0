package chronosketch.sliding.certified

import java.util.Arrays

import chronosketch.rank.RankProfile

/** Finds keys by rank in a union of bags, some of whose oldest elements may have left.
  *
  * Guarantee  the key that has the rank always lies between [[least]] and [[greatest]]; the rank of the key from [[find]] is
  *            wrong by at most [[error]]
  * Cost       a query takes about log₂ m steps for m keys in all bags, each with a search in the remaining range of every bag
  * Source     docs/algorithms.md, A part of a bag; Greenwald and Khanna 2001, §2: rank bounds add up
  *
  * If g elements have left a bag of s elements, at least max(0, A⁻(x) − g) and at most min(s − g, A⁺(x)) of its elements are ≤ x.
  */
final class FrameRanks {
  private var bags = new Array[RankProfile](16)
  private var gone = new Array[Long](16)
  private var size = 0
  private var elements = 0L
  private var lowest, highest = 0L

  // for each bag: the range of its keys for which the search condition is still unknown, and the position of the current key
  private var lows, highs, positions = new Array[Int](16)

  // the last key for which the condition fails, the first for which it holds, and the largest possible rank errors of the
  // two
  private var lastFailing, firstHolding = 0L
  private var errorFailing, errorHolding = 0L

  /** Largest possible rank error of the key that [[find]] returned last. */
  var error = 0L

  def count: Long = elements

  def clear(): Unit = {
    Arrays.fill(bags.asInstanceOf[Array[AnyRef]], 0, size, null)
    size = 0
    elements = 0L
    lowest = Long.MaxValue
    highest = Long.MinValue
  }

  /** Adds a bag of which `left` elements have left. */
  def add(bag: RankProfile, left: Long): Unit = if (bag.countHigh > left) {
    if (size == bags.length) {
      bags = Arrays.copyOf(bags, 2 * size)
      gone = Arrays.copyOf(gone, 2 * size)
      lows = new Array[Int](2 * size)
      highs = new Array[Int](2 * size)
      positions = new Array[Int](2 * size)
    }
    bags(size) = bag
    gone(size) = left
    size += 1
    elements += bag.countHigh - left
    lowest = math.min(lowest, bag.minimum)
    highest = math.max(highest, bag.maximum)
  }

  /** No element is less than this. */
  def minimum: Long = lowest
  def maximum: Long = highest

  /** The least key that can have this rank, which must exist. */
  def least(rank: Long): Long = {
    search(FrameRanks.MayReach, rank)
    firstHolding
  }

  /** The greatest key that can have this rank. */
  def greatest(rank: Long): Long = {
    search(FrameRanks.Reaches, rank)
    firstHolding
  }

  /** The key whose rank has the smallest certain error. */
  def find(rank: Long): Long = {
    search(FrameRanks.IsNear, rank)
    error = math.min(errorFailing, errorHolding)
    if (errorFailing <= errorHolding) lastFailing else firstHolding
  }

  /** Finds the first key for which a monotone condition holds, and the last for which it fails. Each step halves the widest
    * remaining range of a bag, until no range is left.
    */
  private def search(condition: Int, rank: Long): Unit = {
    val bags = this.bags
    val lows = this.lows
    val highs = this.highs
    val positions = this.positions
    var i = 0
    while (i < size) {
      lows(i) = 0
      highs(i) = bags(i).size
      i += 1
    }
    errorFailing = Long.MaxValue
    errorHolding = Long.MaxValue
    firstHolding = maximum
    var step = 0
    var widest = widestFrom(step)
    while (widest >= 0) {
      val key = bags(widest).key((lows(widest) + highs(widest)) >>> 1)
      var atMostLow, atMostHigh, belowHigh = 0L
      i = 0
      while (i < size) {
        val bag = bags(i)
        val left = gone(i)
        val most = bag.countHigh - left
        val position = bag.position(key, lows(i), highs(i))
        val below = if (position >= 0 && bag.key(position) == key) position - 1 else position
        atMostLow += math.max(0L, bag.rankLow(position) - left)
        atMostHigh += math.min(most, bag.rankHigh(position))
        belowHigh += math.min(most, bag.rankHigh(below))
        positions(i) = position
        i += 1
      }
      val short = rank - atMostLow
      val past = belowHigh + 1 - rank
      val holds =
        if (condition == FrameRanks.MayReach) atMostHigh >= rank
        else if (condition == FrameRanks.Reaches) short <= 0
        else past >= short
      val error = math.max(0L, math.max(short, past))
      if (holds) {
        firstHolding = key
        errorHolding = error
      } else {
        lastFailing = key
        errorFailing = error
      }
      i = 0
      while (i < size) {
        if (!holds) lows(i) = positions(i) + 1
        else highs(i) =
          if (positions(i) >= 0 && bags(i).key(positions(i)) == key) positions(i) else positions(i) + 1
        i += 1
      }
      step += 1
      widest = widestFrom(step)
    }
  }

  /** The bag with the widest remaining range. If several are equally wide, each step chooses another one, because neighbouring
    * bags may be alike.
    */
  private def widestFrom(step: Int): Int = {
    var widest = -1
    var most = 0
    var i = if (size == 0) 0 else (step * 0x9e3779b9L & 0x7fffffffL).toInt % size
    var left = size
    while (left > 0) {
      val width = highs(i) - lows(i)
      if (width > most) {
        most = width
        widest = i
      }
      i = if (i + 1 == size) 0 else i + 1
      left -= 1
    }
    widest
  }
}

private object FrameRanks {
  final val MayReach = 0
  final val Reaches = 1

  /** The key's rank may exceed the wanted one by at least as much as it may fall short of it. */
  final val IsNear = 2
}
