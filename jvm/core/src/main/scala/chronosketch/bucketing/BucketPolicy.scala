package chronosketch.bucketing

import java.util.Arrays

import chronosketch.counted.SortedKeys
import chronosketch.domain.{Cast, Domain}
import chronosketch.quantile.{GreenwaldKhanna, TupleUnion}
import chronosketch.sort.SortedRuns

/** Decides what a bucket stores and when buckets may be joined. */
private[chronosketch] abstract class BucketPolicy {

  /** Joins buckets and the sorted rows of the block into as few buckets as allowed. */
  def join(buckets: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList

  /** A function that unites the contents of two buckets of the same cell. */
  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef
}

/** Stores keys, so that ranks can be estimated: few keys in an array, many in a summary.
  *
  * Guarantee  at most ε·(elements after a position) − 6 elements straddle it: [[Joining]]; ranks in a bucket as in [[Contents]]
  * Cost       that of [[Contents]]
  */
private[chronosketch] object KeyBuckets extends BucketPolicy {
  def join(buckets: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new Joining(buckets, block, epsilon, new Contents(domain, epsilon)).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = {
    val contents = new Contents(domain, epsilon)
    (a, b) => { contents.add(a); contents.add(b); contents.content() }
  }

  /** The same buckets with their keys cast. */
  def castBy(list: BucketList, cast: Cast): BucketList = list.castBy(
    cast,
    {
      case sorted: Array[Long] => cast.all(sorted, sorted.length)
      case sketch: GreenwaldKhanna => sketch.castBy(cast)
      case unknown => throw new IllegalArgumentException(s"not the content of a bucket: $unknown")
    }
  )
}

/** Stores no keys, only how many rows came and when.
  *
  * Guarantee  as [[KeyBuckets]], without ranks. All rows are inserted with the same key, so that rows of the same time share a bucket
  * Cost       29 bytes per bucket
  */
private[chronosketch] object CountBuckets extends BucketPolicy {

  /** The key that all rows are inserted with. Every type has this key. */
  val Key = 0L

  def join(buckets: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new Joining(buckets, block, epsilon, NoContents).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = (_, _) => null
}

/** Collects the elements of a new bucket. */
private[chronosketch] trait ContentBuilder {

  /** Adds the elements of bucket i of the list. */
  def add(list: BucketList, i: Int): Unit

  /** Adds the rows with the keys [from, until). */
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit

  /** Returns the contents of a bucket with the added elements, and clears this builder. */
  def content(): AnyRef
}

/** Keeps nothing of the elements of a bucket. */
private object NoContents extends ContentBuilder {
  def add(list: BucketList, i: Int): Unit = ()
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit = ()
  def content(): AnyRef = null
}

/** The contents of a bucket of more than one position, if they are neither keys nor a summary of ranks. */
private[chronosketch] trait Content {

  /** How many numbers are stored. */
  def stored: Int
  def sizeBytes: Long
}

/** Builds the contents of a bucket from the contents of other buckets and from rows.
  *
  * Guarantee  rank error ≤ (ε/2)/(1 + 2ε) of the bucket's elements; none up to 2/ε of them, whose keys are all kept
  * Cost       a sort of the unsorted keys, a merge for each summary, and one pass for each limit tried
  * Source     docs/algorithms.md, The contents of a bucket
  *
  * A bucket is merged into larger ones again and again, at about twice its size. Each merge drops tuples, which makes the ranks of
  * the remaining ones less certain. So few tuples are dropped early and most late: the limit leaves room for log₂(n) merges.
  */
private[chronosketch] final class Contents(domain: Domain, epsilon: Double) extends ContentBuilder {
  private val share = Contents.share(epsilon)
  private val maxKeys = Contents.maxKeys(epsilon)
  private val keys = new SortedRuns
  private val summaries = new TupleUnion(domain, share)

  // keys with more than MaxLooseCopies copies
  private var heavy: GreenwaldKhanna = null

  /** Adds `copies` copies of a key. */
  def add(key: Long, copies: Long): Unit =
    if (copies <= Contents.MaxLooseCopies) {
      val n = copies.toInt
      val to = keys.reserve(n)
      Arrays.fill(to, keys.looseFrom, keys.looseFrom + n, key)
      keys.addLoose(n)
    } else {
      if (heavy == null) heavy = new GreenwaldKhanna(domain, share)
      heavy.insert(key, copies)
    }

  /** Adds the rows with the keys [from, until). */
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit = {
    val n = until - from
    System.arraycopy(rowKeys, from, keys.reserve(n), keys.looseFrom, n)
    keys.addLoose(n)
  }

  def add(list: BucketList, i: Int): Unit =
    if (list.level(i) == 0) add(Tie.key(list.ties(i)), list.counts(i)) else add(list.contents(i))

  def add(content: AnyRef): Unit = content match {
    case sorted: Array[Long] => keys.add(sorted)
    case sketch: GreenwaldKhanna => summaries.add(sketch)
    case unknown => throw new IllegalArgumentException(s"not the content of a bucket: $unknown")
  }

  /** Returns the contents of a bucket with the added elements, and clears this builder. */
  def content(): AnyRef =
    if (summaries.isEmpty && heavy == null && keys.size <= maxKeys) {
      val sorted = Arrays.copyOf(keys.inOrder(), keys.size)
      keys.clear()
      sorted
    } else union(ends, Contents.maxTuples(share, _))

  /** Returns a summary of the added elements for a window, and clears this builder. The summary keeps more tuples than a bucket's,
    * because it is not merged again.
    */
  def window(): GreenwaldKhanna = summary(ends)

  /** As [[window]], for the window of all rows. Ranks near its ends are no more certain than elsewhere, so that stored sketches give
    * the same answers as in older versions.
    */
  def everything(): GreenwaldKhanna = summary(0.0)

  private def ends: Double = math.min(0.5, Contents.Ends * share)

  private def summary(ends: Double): GreenwaldKhanna = union(ends, _ => (Contents.WindowTuples / share).toInt)

  private def union(ends: Double, maxTuples: Long => Int): GreenwaldKhanna = {
    if (heavy != null) summaries.add(heavy)
    heavy = null
    val whole = summaries.summary(new SortedKeys(keys.inOrder(), keys.size), ends, maxTuples)
    keys.clear()
    whole
  }
}

private[chronosketch] object Contents {

  /** A key with at most this many copies is added copy by copy. */
  private val MaxLooseCopies = 16L

  /** The ε of the summaries in the buckets, a part of the sketch's ε. */
  def share(epsilon: Double): Double = epsilon / (2 + 4 * epsilon)

  /** Up to this many elements a bucket keeps all its keys. */
  def maxKeys(epsilon: Double): Int = if (epsilon == 0.0) Int.MaxValue else (1 / share(epsilon)).toInt

  /** The share of the elements at either end whose ranks are kept more certain than the others, in units of ε. At ε = 0.05 this takes
    * 3 % more tuples, and reduces the greatest error on the paper's stream to a quarter. Buckets and windows must use the same share:
    * only then do ranks lie in the middle of their bounds.
    */
  private val Ends = 3.0

  /** Maximal number of tuples in the summary of a window, in units of 1/ε. */
  private val WindowTuples = 8.0

  private def maxTuples(share: Double, n: Long): Int =
    if (share == 0.0) Int.MaxValue
    else {
      val doublings = math.max(0.0, math.log(n * share) / math.log(2))
      ((0.7 + doublings / 3) / share).toInt
    }
}
