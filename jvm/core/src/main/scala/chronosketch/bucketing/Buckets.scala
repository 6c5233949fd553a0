package chronosketch.bucketing

import chronosketch.counted.Share
import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna

/** What was when, so that whatever lies after any position is known but for a share of it?
  *
  * Guarantee  what `holding` says; where that is [[HoldsKeys]]: elements of the buckets that straddle a position ≤ ε·(elements of those
  *            after it) − 6, for every position, after any inserts and merges; each bucket's ranks as in [[Contents]]. So a bucket of two positions has 8/ε elements after it,
  *            and one that does not keep all its values has 2/ε²
  * Cost       insert amortised 0.1 µs; about (2/ε)·ln(εn/8) + 8/ε buckets
  * Units      positions as in [[Grid]]
  * Merge      union, then [[Joining]]
  * Source     docs/algorithms.md, Windows
  */
private[chronosketch] final class Buckets(
    initialDomain: Domain,
    initialEpsilon: Double,
    holding: Holding
) {
  private var domain = initialDomain
  private var epsilon = initialEpsilon
  private var held = new BucketList(0)

  // of ε, as it is now
  private var mostSingle = Buckets.mostSingle(epsilon)

  // buckets that the last join left, and whether others were united with them since
  private var joined = 0
  private var isUnited = false
  private val block = new RowBlock

  /** Those of everything that came: no more is to be inserted while they are in use. */
  def list: BucketList = {
    join()
    held
  }

  /** The same, perhaps more of them than are needed. */
  def united: BucketList = {
    if (block.size > 0) join()
    held
  }

  def count: Long = held.count + block.size

  def insert(time: Long, key: Long): Boolean = {
    block.add(time, key)
    block.isFull
  }

  /** As many of the rows from `from` until `until` as there is room for; where the first of the others is. */
  def insertAll(rowTimes: Array[Long], rowKeys: Array[Long], from: Int, until: Int): Int = {
    if (block.room < until - from) block.reserve(until - from, mostRows)
    val end = math.min(until.toLong, from.toLong + block.room).toInt
    block.addAll(rowTimes, rowKeys, from, end)
    end
  }

  def isBlockFull: Boolean = block.isFull

  /** There is room for another row. */
  def makeRoom(): Unit =
    if (block.size < mostRows) block.grow() else join()

  private def mostRows: Long = math.min(RowBlock.Most.toLong, RowBlock.Fewest * mostBuckets)

  /** How many there are; to begin with, half of those that stay single: of fewer rows a join would leave most as they are. */
  private def mostBuckets: Long =
    math.max(held.size.toLong, math.min(mostSingle / 2, RowBlock.Most.toLong))

  /** The rows, where all are as they came and no more than these; else null. */
  def rows(most: Double): RowBlock =
    if (held.size == 0 && block.size > 0 && block.size <= most) block else null

  def insert(time: Long, key: Long, copies: Long): Unit = {
    val one = new BucketList(1)
    one.add(time, Tie.of(key), 0, copies, null)
    unite(one)
  }

  private def join(): Unit = if (block.size > 0 || isUnited) {
    block.sort()
    held = holding.join(held, block, domain, epsilon)
    block.clear()
    joined = held.size
    isUnited = false
  }

  /** Joining waits until many have come: of each two by themselves larger buckets would be made, that then are in the way. */
  private def unite(that: BucketList): Unit = {
    if (held.endsBefore(that)) held.addAll(that)
    else held = BucketList.union(held, that, holding.union(domain, epsilon))
    isUnited = true
    if (held.size > Buckets.MostUnited * math.max(Buckets.Fewest, joined)) join()
  }

  def merge(that: BucketList, wider: Domain, larger: Double): Unit = {
    domain = wider
    if (larger != epsilon) mostSingle = Buckets.mostSingle(larger)
    epsilon = larger
    if (that.size > 0) unite(that)
  }

  /** Forgets what is surely of this time or before; how many elements that was. */
  def forget(time: Long): Long = {
    join()
    var first = 0
    while (first < held.size && held.lastTime(first) > time) first += 1
    if (first == held.size) 0L
    else {
      val kept = new BucketList(held.size)
      var forgotten = 0L
      var i = 0
      while (i < held.size) {
        if (held.lastTime(i) > time) kept.add(held, i) else forgotten += held.counts(i)
        i += 1
      }
      held = kept
      forgotten
    }
  }

  /** What was stored. */
  def restore(list: BucketList): Unit = {
    held = list
    joined = list.size
  }

  def sizeBytes: Long = held.sizeBytes + block.sizeBytes
}

private[chronosketch] object Buckets {

  /** United buckets may be so many times as many as joining left. */
  private val MostUnited = 8
  private val Fewest = 512

  /** How many elements may straddle a position that so many stand after. Half of them may make an answer wrong: all of them where
    * they are larger, or smaller, than all others. Ranks are whole, which costs up to two more; six elements fewer pay for that.
    */
  def mostAround(epsilon: Double, after: Long): Long =
    math.max(0L, Share.of(epsilon, after) - 6)

  /** Of so many elements no two may be one bucket, wherever they are; at least 2. */
  def mostSingle(epsilon: Double): Long =
    if (epsilon == 0.0) Long.MaxValue / 4
    else {
      // ε·after is 8 here, but for what rounding takes
      var after = (8 / epsilon).toLong + 2
      while (mostAround(epsilon, after) >= 2) after -= 1
      after + 2
    }

  /** Where the promise does not hold, in words; for tests. */
  def violations(list: BucketList, epsilon: Double): Seq[String] = {
    val found = Seq.newBuilder[String]
    var open = List.empty[Int]
    var around = 0L
    var after = list.count
    def close(): Unit = { around -= list.counts(open.head); open = open.tail }
    (0 until list.size).foreach { i =>
      val level = list.level(i)
      if (
        list.times(i) != Grid.firstTime(list.times(i), level) ||
        list.ties(i) != Grid.firstTie(list.ties(i), level)
      ) found += s"bucket $i does not begin where its cell does"
      while (
        open.nonEmpty &&
        Grid.isBefore(list.lastTime(open.head), list.lastTie(open.head), list.times(i), list.ties(i))
      ) close()
      if (open.nonEmpty && list.level(open.head) <= level) found += s"bucket $i is not inside ${open.head}"
      after -= list.counts(i)
      if (level > 0) {
        open = i :: open
        around += list.counts(i)
      }
      val lastTime = list.lastTime(i)
      val lastTie = list.lastTie(i)
      // of what begins later, what lies inside this cell is not after its last position
      var inside = 0L
      var j = i + 1
      while (j < list.size && !Grid.isBefore(lastTime, lastTie, list.times(j), list.ties(j))) {
        inside += list.counts(j)
        j += 1
      }
      val most = mostAround(epsilon, after - inside)
      if (level > 0 && around > most)
        found += s"bucket $i: $around elements straddle, ${after - inside} after it allow $most"
      val content = list.contents(i) match {
        case keys: Array[Long] => keys.length.toLong
        case sketch: GreenwaldKhanna => sketch.count
        case _ => if (level == 0) list.counts(i) else -1L
      }
      if (content != list.counts(i))
        found += s"bucket $i has $content elements where ${list.counts(i)} belong"
    }
    found.result()
  }
}
