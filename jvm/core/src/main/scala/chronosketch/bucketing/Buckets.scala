package chronosketch.bucketing

import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna

/** Summarises timed rows in buckets, so that the rows after any position can be approximated within ε.
  *
  * Guarantee  that of the [[BucketPolicy]]. With [[KeyBuckets]]: after any inserts and merges, for every position, the buckets that
  *            straddle it have at most ε·(elements in buckets after it) − 6 elements; each bucket's ranks as in [[Contents]].
  *            So at least 8/ε elements come after a bucket of two positions or more, and at least 2/ε² after a bucket that does not keep
  *            all its values
  * Cost       insert amortised 0.1 µs; about (2/ε)·ln(εn/8) + 8/ε buckets
  * Units      positions as in [[Grid]]
  * Merge      union, then [[Joining]]
  * Source     docs/algorithms.md, Windows
  */
private[chronosketch] final class Buckets(
    initialDomain: Domain,
    initialEpsilon: Double,
    policy: BucketPolicy
) {
  private var domain = initialDomain
  private var epsilon = initialEpsilon
  private var buckets = new BucketList(0)

  // for the current ε
  private var maxUnjoined = Buckets.maxUnjoined(epsilon)

  // number of buckets after the last join, and whether buckets have been added since
  private var sizeAfterJoin = 0
  private var hasUnjoined = false
  private val block = new RowBlock

  /** The buckets of all inserted rows. The caller must not insert while it uses the list. */
  def list: BucketList = {
    join()
    buckets
  }

  /** The buckets of all inserted rows, possibly more than a join would leave. */
  def unjoinedList: BucketList = {
    if (block.size > 0) join()
    buckets
  }

  def count: Long = buckets.count + block.size

  def insert(time: Long, key: Long): Boolean = {
    block.add(time, key)
    block.isFull
  }

  /** Inserts rows [from, until) as far as they fit. Returns the index of the first row that was not inserted. */
  def insertAll(rowTimes: Array[Long], rowKeys: Array[Long], from: Int, until: Int): Int = {
    if (block.room < until - from) block.reserve(until - from, maxRows)
    val end = math.min(until.toLong, from.toLong + block.room).toInt
    block.addAll(rowTimes, rowKeys, from, end)
    end
  }

  def isBlockFull: Boolean = block.isFull

  /** Makes room for at least one more row: grows the block, or joins it into the buckets if it has its maximal size. */
  def makeRoom(): Unit =
    if (block.size < maxRows) block.grow() else join()

  private def maxRows: Long = math.min(RowBlock.MaxCapacity.toLong, RowBlock.MinCapacity * expectedBuckets)

  /** The number of buckets, used to size the block. While there are few, half of `maxUnjoined`: joining fewer rows would leave most of
    * them unjoined.
    */
  private def expectedBuckets: Long =
    math.max(buckets.size.toLong, math.min(maxUnjoined / 2, RowBlock.MaxCapacity.toLong))

  /** The rows themselves, if none has been put into a bucket and there are at most `limit`; else null. */
  def rows(limit: Double): RowBlock =
    if (buckets.size == 0 && block.size > 0 && block.size <= limit) block else null

  def insert(time: Long, key: Long, copies: Long): Unit = {
    val one = new BucketList(1)
    one.add(time, Tie.of(key), 0, copies, null)
    addBuckets(one)
  }

  private def join(): Unit = if (block.size > 0 || hasUnjoined) {
    block.sort()
    buckets = policy.join(buckets, block, domain, epsilon)
    block.clear()
    sizeAfterJoin = buckets.size
    hasUnjoined = false
  }

  /** Adds buckets, and joins only after many have been added: joining two lists at a time would create larger buckets than necessary,
    * and these could not be divided later.
    */
  private def addBuckets(that: BucketList): Unit = {
    if (buckets.endsBefore(that)) buckets.addAll(that)
    else buckets = BucketList.union(buckets, that, policy.union(domain, epsilon))
    hasUnjoined = true
    if (buckets.size > Buckets.JoinFactor * math.max(Buckets.MinJoined, sizeAfterJoin)) join()
  }

  def merge(that: BucketList, wider: Domain, larger: Double): Unit = {
    domain = wider
    if (larger != epsilon) maxUnjoined = Buckets.maxUnjoined(larger)
    epsilon = larger
    if (that.size > 0) addBuckets(that)
  }

  /** Drops the buckets that end at this time or before. Returns how many elements they had. */
  def forget(time: Long): Long = {
    join()
    var first = 0
    while (first < buckets.size && buckets.lastTime(first) > time) first += 1
    if (first == buckets.size) 0L
    else {
      val remaining = new BucketList(buckets.size)
      var forgotten = 0L
      var i = 0
      while (i < buckets.size) {
        if (buckets.lastTime(i) > time) remaining.add(buckets, i) else forgotten += buckets.counts(i)
        i += 1
      }
      buckets = remaining
      forgotten
    }
  }

  /** Sets the buckets to those of a decoded sketch. */
  def restore(list: BucketList): Unit = {
    buckets = list
    sizeAfterJoin = list.size
  }

  def sizeBytes: Long = buckets.sizeBytes + block.sizeBytes
}

private[chronosketch] object Buckets {

  /** Buckets are joined once there are this many times as many as after the last join, or as [[MinJoined]]. */
  private val JoinFactor = 8
  private val MinJoined = 512

  /** How many elements may straddle a position with `after` elements after it. An answer can be wrong by half of the straddling elements,
    * or by all of them if they are larger, or smaller, than all others. Ranks are whole numbers, which costs up to two ranks more; the six
    * elements subtracted pay for that.
    */
  def maxStraddling(epsilon: Double, after: Long): Long =
    math.max(0L, ElementCount.share(epsilon, after) - 6)

  /** While there are at most this many elements, no two positions may share a bucket; at least 2. */
  def maxUnjoined(epsilon: Double): Long =
    if (epsilon == 0.0) Long.MaxValue / 4
    else {
      // ε·after is 8 here, up to rounding
      var after = (8 / epsilon).toLong + 2
      while (maxStraddling(epsilon, after) >= 2) after -= 1
      after + 2
    }

  /** Describes each violation of the guarantee of [[KeyBuckets]]; for tests. */
  def violations(list: BucketList, epsilon: Double): Seq[String] = {
    val violations = Seq.newBuilder[String]
    var open = List.empty[Int]
    var around = 0L
    var after = list.count
    def close(): Unit = { around -= list.counts(open.head); open = open.tail }
    (0 until list.size).foreach { i =>
      val level = list.level(i)
      if (
        list.times(i) != Grid.firstTime(list.times(i), level) ||
        list.ties(i) != Grid.firstTie(list.ties(i), level)
      ) violations += s"bucket $i does not begin where its cell does"
      while (
        open.nonEmpty &&
        Grid.isBefore(list.lastTime(open.head), list.lastTie(open.head), list.times(i), list.ties(i))
      ) close()
      if (open.nonEmpty && list.level(open.head) <= level)
        violations += s"bucket $i is not inside ${open.head}"
      after -= list.counts(i)
      if (level > 0) {
        open = i :: open
        around += list.counts(i)
      }
      val lastTime = list.lastTime(i)
      val lastTie = list.lastTie(i)
      // buckets that begin later but lie inside this cell are not after its last position
      var inside = 0L
      var j = i + 1
      while (j < list.size && !Grid.isBefore(lastTime, lastTie, list.times(j), list.ties(j))) {
        inside += list.counts(j)
        j += 1
      }
      val limit = maxStraddling(epsilon, after - inside)
      if (level > 0 && around > limit)
        violations += s"bucket $i: $around elements straddle, ${after - inside} after it allow $limit"
      val content = list.contents(i) match {
        case keys: Array[Long] => keys.length.toLong
        case sketch: GreenwaldKhanna => sketch.count
        case _ => if (level == 0) list.counts(i) else -1L
      }
      if (content != list.counts(i))
        violations += s"bucket $i has $content elements where ${list.counts(i)} belong"
    }
    violations.result()
  }
}
