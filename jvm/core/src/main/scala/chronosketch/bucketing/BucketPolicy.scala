package chronosketch.bucketing

import chronosketch.domain.Domain

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
