package chronosketch.warehouse

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile

/** At which places of a sorted run is it known which key stands there?
  *
  * Guarantee  the ranks of all keys that [[profile]] bounds; a key is not known only between two neighbouring places with different
  *            keys
  * Cost       16 bytes a place
  * Units      places are ranks, from 1: in a run they are rows
  * Merge      none: profiles add up
  * Source     Singh et al., HistStream, VLDB 2016, §2.2 and §2.3, with stored ranks
  *
  * The first place and the last are always among them. Of a key at several places the first and the last are kept.
  */
final class KnownRanks private (places: Array[Long], keys: Array[Long], size: Int) {
  def count: Long = if (size == 0) 0L else places(size - 1)

  def profile: RankProfile = {
    val k, low, high = new Array[Long](size)
    var distinct = 0
    var i = 0
    while (i < size) {
      if (i == 0 || keys(i) != keys(i - 1)) {
        if (distinct > 0) high(distinct - 1) = places(i) - 1
        k(distinct) = keys(i)
        distinct += 1
      }
      low(distinct - 1) = places(i)
      i += 1
    }
    if (distinct > 0) high(distinct - 1) = count
    RankProfile.certain(distinct, k, low, high, count)
  }

  /** The same for keys from `low` to `high`, and less of all others. */
  def around(low: Long, high: Long): KnownRanks = if (size == 0) this
  else {
    // the last place below, the first above
    val from = math.max(0, firstWhere(keys(_) >= low) - 1)
    val to = math.min(size - 1, firstWhere(keys(_) > high))
    val joined = new KnownRanks.Builder(to - from + 3)
    joined.add(places(0), keys(0))
    var i = from
    while (i <= to) { joined.add(places(i), keys(i)); i += 1 }
    joined.add(count, keys(size - 1))
    joined.result
  }

  /** The places of which it is not known which key stands there, though it may be one from `low` to `high`. */
  def unknown(low: Long, high: Long): Seq[Stretch] = {
    val found = Seq.newBuilder[Stretch]
    var i = math.max(1, firstWhere(keys(_) >= low))
    while (i < size && keys(i - 1) <= high) {
      if (keys(i - 1) != keys(i) && places(i) - places(i - 1) > 1)
        found += Stretch(places(i - 1) + 1, places(i))
      i += 1
    }
    found.result()
  }

  /** With the keys that stand at stretches of [[unknown]], or at parts of these, in their order. */
  def learning(read: Seq[(Stretch, Array[Long])]): KnownRanks = {
    val joined = new KnownRanks.Builder(size + read.map(_._2.length).sum)
    var i = 0
    read.foreach { case (stretch, found) =>
      while (i < size && places(i) < stretch.from) { joined.add(places(i), keys(i)); i += 1 }
      if (found.length != stretch.length)
        throw Refusal(
          "CHRONOSKETCH_WAREHOUSE_DAMAGED",
          "reason" -> s"a run has ${found.length} rows, but should have ${stretch.length}"
        )
      var j = 0
      while (j < found.length) { joined.add(stretch.from + j, found(j)); j += 1 }
    }
    while (i < size) { joined.add(places(i), keys(i)); i += 1 }
    joined.result
  }

  private def firstWhere(condition: Int => Boolean): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val mid = (low + high) >>> 1
      if (condition(mid)) high = mid else low = mid + 1
    }
    low
  }
}

object KnownRanks {
  val none: KnownRanks = new KnownRanks(Array.emptyLongArray, Array.emptyLongArray, 0)

  /** What the summary of a run tells, as [[RunSamples]] made it. */
  def of(summary: GreenwaldKhanna): KnownRanks = {
    val m = summary.tuples
    val tuples = summary.summarised
    val known = new Builder(m)
    var rank = 0L
    var i = 0
    while (i < m) {
      if (tuples.deltas(i) != 0)
        throw Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", "reason" -> "the summary of a run has no exact ranks")
      rank += tuples.gs(i)
      known.add(rank, tuples.keys(i))
      i += 1
    }
    known.result
  }

  /** Puts them together in order of place; a place may come twice. */
  private final class Builder(most: Int) {
    private val places, keys = new Array[Long](most)
    private var size = 0

    def add(place: Long, key: Long): Unit = if (size == 0 || place > places(size - 1)) {
      if (size > 0 && key < keys(size - 1)) throw RunSamples.outOfOrder
      if (size > 1 && key == keys(size - 1) && key == keys(size - 2)) places(size - 1) = place
      else {
        places(size) = place
        keys(size) = key
        size += 1
      }
    }

    def result: KnownRanks =
      if (size == 0) none
      else new KnownRanks(Arrays.copyOf(places, size), Arrays.copyOf(keys, size), size)
  }
}
