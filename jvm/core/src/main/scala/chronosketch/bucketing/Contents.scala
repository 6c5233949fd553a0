package chronosketch.bucketing

import java.util.Arrays

import chronosketch.counted.SortedKeys
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, TupleUnion}
import chronosketch.sort.SortedRuns

/** What is in a bucket, when it is made of others and of rows?
  *
  * Guarantee  rank error ≤ (ε/2)/(1 + 2ε) of the bucket's elements; none up to 2/ε of them, which are kept as they are
  * Cost       a sort of the keys that are not in order, a merge for each summary, and one pass for each limit tried
  * Merge      elements are gathered here, from buckets in any number, and taken as one
  * Source     docs/algorithms.md, The contents of a bucket
  *
  * A bucket is merged into larger ones again and again, at about twice its size. Each merge drops tuples, and makes the ranks of
  * the others less certain. So few tuples are dropped early and most late: the limit leaves room for log₂(n) steps.
  */
private[chronosketch] final class Contents(domain: Domain, epsilon: Double) extends Gathering {
  private val share = Contents.share(epsilon)
  private val mostKeys = Contents.mostKeys(epsilon)
  private val keys = new SortedRuns
  private val summaries = new TupleUnion(domain, share)

  // keys of many copies
  private var heavy: GreenwaldKhanna = null

  /** `copies` of a key. */
  def add(key: Long, copies: Long): Unit =
    if (copies <= Contents.Few) {
      val n = copies.toInt
      val to = keys.reserve(n)
      Arrays.fill(to, keys.looseFrom, keys.looseFrom + n, key)
      keys.addLoose(n)
    } else {
      if (heavy == null) heavy = new GreenwaldKhanna(domain, share)
      heavy.insert(key, copies)
    }

  /** Rows from `from` until `until`, told by their keys. */
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit = {
    val n = until - from
    System.arraycopy(rowKeys, from, keys.reserve(n), keys.looseFrom, n)
    keys.addLoose(n)
  }

  def add(list: BucketList, i: Int): Unit =
    if (list.level(i) == 0) add(Tie.key(list.ties(i)), list.counts(i)) else add(list.contents(i))

  def add(content: AnyRef): Unit = content match {
    case some: Array[Long] => keys.add(some)
    case sketch: GreenwaldKhanna => summaries.add(sketch)
    case other => throw new IllegalArgumentException(s"no content of a bucket: $other")
  }

  /** What was added, as a bucket has it; then nothing. */
  def content(): AnyRef =
    if (summaries.isEmpty && heavy == null && keys.size <= mostKeys) {
      val some = Arrays.copyOf(keys.inOrder(), keys.size)
      keys.clear()
      some
    } else union(ends, Contents.mostTuples(share, _))

  /** What was added, of a window, as one summary that is not merged again and again; then nothing. */
  def window(): GreenwaldKhanna = taken(ends)

  /** The same of all there is. Its ranks are as certain near the ends as elsewhere: so a stored sketch answers as it did when older versions
    * read it.
    */
  def everything(): GreenwaldKhanna = taken(0.0)

  private def ends: Double = math.min(0.5, Contents.Ends * share)

  private def taken(ends: Double): GreenwaldKhanna = union(ends, _ => (Contents.Stored / share).toInt)

  private def union(ends: Double, most: Long => Int): GreenwaldKhanna = {
    if (heavy != null) summaries.add(heavy)
    heavy = null
    val whole = summaries.summary(new SortedKeys(keys.inOrder(), keys.size), ends, most)
    keys.clear()
    whole
  }
}

private[chronosketch] object Contents {

  /** Copies of a key that are kept one by one. */
  private val Few = 16L

  /** The summaries' part of ε. */
  def share(epsilon: Double): Double = epsilon / (2 + 4 * epsilon)

  /** So many elements are kept as they are. */
  def mostKeys(epsilon: Double): Int = if (epsilon == 0.0) Int.MaxValue else (1 / share(epsilon)).toInt

  /** So many of the elements at either end have ranks more certain than the others have, in ε. At ε = 0.05 that takes 3 % more
    * tuples, and the greatest error on the paper's stream is a quarter. It has to be the same share of buckets and of windows: only then
    * are ranks in the middle of their bounds.
    */
  private val Ends = 3.0

  /** Tuples of a window that is taken, in 1/ε. */
  private val Stored = 8.0

  private def mostTuples(share: Double, n: Long): Int =
    if (share == 0.0) Int.MaxValue
    else {
      val doublings = math.max(0.0, math.log(n * share) / math.log(2))
      ((0.7 + doublings / 3) / share).toInt
    }
}
