package chronosketch.warehouse

import java.util.Arrays

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.sort.BinarySearch.firstWhere

/** The ranks of a sorted run whose keys are known, in increasing order.
  *
  * Guarantee  [[profile]] bounds the ranks of all keys; a key is unknown only between two neighbouring known ranks with different keys
  * Cost       16 bytes per known rank
  * Units      ranks start at 1; rank r is row r of the run
  * Source     Singh et al., HistStream, VLDB 2016, §2.2 and §2.3, with stored ranks
  *
  * The first and the last rank are always known. If a key is known at several ranks, only the first and the last are kept.
  */
final class KnownRanks private (ranks: Array[Long], keys: Array[Long], size: Int) {
  def count: Long = if (size == 0) 0L else ranks(size - 1)

  def profile: RankProfile = {
    val k, low, high = new Array[Long](size)
    var distinct = 0
    var i = 0
    while (i < size) {
      if (i == 0 || keys(i) != keys(i - 1)) {
        if (distinct > 0) high(distinct - 1) = ranks(i) - 1
        k(distinct) = keys(i)
        distinct += 1
      }
      low(distinct - 1) = ranks(i)
      i += 1
    }
    if (distinct > 0) high(distinct - 1) = count
    RankProfile.certain(distinct, k, low, high, count)
  }

  /** The known ranks of the keys from `low` to `high`, with their neighbours and the first and last rank; other ranks are dropped. */
  def restrictedTo(low: Long, high: Long): KnownRanks = if (size == 0) this
  else {
    // from the last rank below `low` to the first above `high`
    val from = math.max(0, firstWhere(size)(keys(_) >= low) - 1)
    val to = math.min(size - 1, firstWhere(size)(keys(_) > high))
    val builder = new KnownRanks.Builder(to - from + 3)
    builder.add(ranks(0), keys(0))
    var i = from
    while (i <= to) { builder.add(ranks(i), keys(i)); i += 1 }
    builder.add(count, keys(size - 1))
    builder.result
  }

  /** The stretches of unknown ranks whose keys may be from `low` to `high`. */
  def unknownStretches(low: Long, high: Long): Seq[Stretch] = {
    val stretches = Seq.newBuilder[Stretch]
    var i = math.max(1, firstWhere(size)(keys(_) >= low))
    while (i < size && keys(i - 1) <= high) {
      if (keys(i - 1) != keys(i) && ranks(i) - ranks(i - 1) > 1)
        stretches += Stretch(ranks(i - 1) + 1, ranks(i))
      i += 1
    }
    stretches.result()
  }

  /** These ranks and those of the keys read at stretches of [[unknownStretches]], or at parts of these, in increasing order. */
  def withKeys(read: Seq[(Stretch, Array[Long])]): KnownRanks = {
    val builder = new KnownRanks.Builder(size + read.map(_._2.length).sum)
    var i = 0
    read.foreach { case (stretch, found) =>
      while (i < size && ranks(i) < stretch.from) { builder.add(ranks(i), keys(i)); i += 1 }
      if (found.length != stretch.length)
        throw DamagedWarehouse(s"a run has ${found.length} rows, but should have ${stretch.length}")
      var j = 0
      while (j < found.length) { builder.add(stretch.from + j, found(j)); j += 1 }
    }
    while (i < size) { builder.add(ranks(i), keys(i)); i += 1 }
    builder.result
  }
}

object KnownRanks {
  val none: KnownRanks = new KnownRanks(Array.emptyLongArray, Array.emptyLongArray, 0)

  /** The known ranks in the summary of a run, which [[RunSamples]] made. */
  def of(summary: GreenwaldKhanna): KnownRanks = {
    val m = summary.tuples
    val tuples = summary.summarised
    val builder = new Builder(m)
    var rank = 0L
    var i = 0
    while (i < m) {
      if (tuples.deltas(i) != 0)
        throw DamagedWarehouse("the summary of a run has no exact ranks")
      rank += tuples.gs(i)
      builder.add(rank, tuples.keys(i))
      i += 1
    }
    builder.result
  }

  /** Collects ranks in increasing order. Repeated ranks are ignored. */
  private final class Builder(maxSize: Int) {
    private val ranks, keys = new Array[Long](maxSize)
    private var size = 0

    def add(rank: Long, key: Long): Unit = if (size == 0 || rank > ranks(size - 1)) {
      if (size > 0 && key < keys(size - 1)) throw RunSamples.outOfOrder
      if (size > 1 && key == keys(size - 1) && key == keys(size - 2)) ranks(size - 1) = rank
      else {
        ranks(size) = rank
        keys(size) = key
        size += 1
      }
    }

    def result: KnownRanks =
      if (size == 0) none
      else new KnownRanks(Arrays.copyOf(ranks, size), Arrays.copyOf(keys, size), size)
  }
}

/** The rows [from, until) of a sorted run, counted from 1. */
final case class Stretch(from: Long, until: Long) {
  def length: Long = until - from
}
