package chronosketch.sliding.certified

import java.util.Arrays

import chronosketch.rank.RankProfile

/** Which key has a rank, and which can have it, in the union of bags of which some of the oldest elements may have left?
  *
  * Guarantee  the key that has the rank lies from [[least]] to [[greatest]], always; that of [[find]] is wrong by at most
  *            [[error]] ranks
  * Cost       a question: about log₂ m steps, m the keys in all bags, each a search in what is left of each bag
  * Source     docs/algorithms.md, A part of a bag; Greenwald and Khanna 2001, §2: bounds of ranks add up
  *
  * Of a bag of s elements, g of which have left, so many can be ≤ x: max(0, A⁻(x) − g) at least, min(s − g, A⁺(x)) at most.
  */
final class FrameRanks {
  private var bags = new Array[RankProfile](16)
  private var gone = new Array[Long](16)
  private var size = 0
  private var elements = 0L
  private var lowest, highest = 0L

  // of the bag's keys: where those begin and end of which it is open whether the condition holds; where the key looked at stands
  private var from, until, at = new Array[Int](16)

  // the last key where the condition does not hold, the first where it does, and how wrong they can be
  private var before, first = 0L
  private var errorBefore, errorFirst = 0L

  /** How wrong the key found last can be. */
  var error = 0L

  def count: Long = elements

  def clear(): Unit = {
    Arrays.fill(bags.asInstanceOf[Array[AnyRef]], 0, size, null)
    size = 0
    elements = 0L
    lowest = Long.MaxValue
    highest = Long.MinValue
  }

  /** A bag, of which so many have left. */
  def add(bag: RankProfile, left: Long): Unit = if (bag.countHigh > left) {
    if (size == bags.length) {
      bags = Arrays.copyOf(bags, 2 * size)
      gone = Arrays.copyOf(gone, 2 * size)
      from = new Array[Int](2 * size)
      until = new Array[Int](2 * size)
      at = new Array[Int](2 * size)
    }
    bags(size) = bag
    gone(size) = left
    size += 1
    elements += bag.countHigh - left
    lowest = math.min(lowest, bag.minimum)
    highest = math.max(highest, bag.maximum)
  }

  /** What no element is below, and what none is above. */
  def minimum: Long = lowest
  def maximum: Long = highest

  /** The least key that can have a rank that there is. */
  def least(rank: Long): Long = {
    search(FrameRanks.MayReach, rank)
    first
  }

  /** The greatest key that can have it. */
  def greatest(rank: Long): Long = {
    search(FrameRanks.Reaches, rank)
    first
  }

  /** The key that is wrong by the fewest ranks for certain. */
  def find(rank: Long): Long = {
    search(FrameRanks.IsNear, rank)
    error = math.min(errorBefore, errorFirst)
    if (errorBefore <= errorFirst) before else first
  }

  /** The first key where a condition holds that stays true once it is, and the last where it does not: halves what is left of the bag
    * of which most is left, until nothing is.
    */
  private def search(condition: Int, rank: Long): Unit = {
    val bags = this.bags
    val from = this.from
    val until = this.until
    val at = this.at
    var i = 0
    while (i < size) {
      from(i) = 0
      until(i) = bags(i).size
      i += 1
    }
    errorBefore = Long.MaxValue
    errorFirst = Long.MaxValue
    first = maximum
    var step = 0
    var widest = widestFrom(step)
    while (widest >= 0) {
      val key = bags(widest).key((from(widest) + until(widest)) >>> 1)
      var atMostLow, atMostHigh, belowHigh = 0L
      i = 0
      while (i < size) {
        val bag = bags(i)
        val left = gone(i)
        val most = bag.countHigh - left
        val position = bag.position(key, from(i), until(i))
        val below = if (position >= 0 && bag.key(position) == key) position - 1 else position
        atMostLow += math.max(0L, bag.rankLow(position) - left)
        atMostHigh += math.min(most, bag.rankHigh(position))
        belowHigh += math.min(most, bag.rankHigh(below))
        at(i) = position
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
        first = key
        errorFirst = error
      } else {
        before = key
        errorBefore = error
      }
      i = 0
      while (i < size) {
        if (!holds) from(i) = at(i) + 1
        else until(i) = if (at(i) >= 0 && bags(i).key(at(i)) == key) at(i) else at(i) + 1
        i += 1
      }
      step += 1
      widest = widestFrom(step)
    }
  }

  /** Where most is left; of several another one each time, since neighbours may differ little. */
  private def widestFrom(step: Int): Int = {
    var widest = -1
    var most = 0
    var i = if (size == 0) 0 else (step * 0x9e3779b9L & 0x7fffffffL).toInt % size
    var left = size
    while (left > 0) {
      val width = until(i) - from(i)
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

  /** Past the rank by as much as short of it, or more. */
  final val IsNear = 2
}
