package chronosketch.bucketing

import chronosketch.domain.Domain

/** What do buckets keep of their elements, and which of them may be joined? */
private[chronosketch] abstract class Holding {

  /** Fewer buckets of the same elements and of the rows in the block, which are in order. */
  def join(held: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList

  /** Makes one content of those of two buckets of one cell. */
  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef
}

/** Keys, and so the ranks of values: few as they are, many in a summary.
  *
  * Guarantee  ε·(elements after a position) − 6 straddle it, at most: [[Joining]]; ranks in a bucket as in [[Contents]]
  * Cost       that of [[Contents]]
  */
private[chronosketch] object HoldsKeys extends Holding {
  def join(held: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new Joining(held, block, epsilon, new Contents(domain, epsilon)).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = {
    val contents = new Contents(domain, epsilon)
    (a, b) => { contents.add(a); contents.add(b); contents.content() }
  }
}

/** Counts alone: how many rows came, and when.
  *
  * Guarantee  as [[HoldsKeys]], without the ranks; rows go in with one key, so that those of one time are one bucket
  * Cost       29 bytes a bucket
  */
private[chronosketch] object HoldsCounts extends Holding {

  /** The key that rows go in with: one that every type has. */
  val Key = 0L

  def join(held: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
    new Joining(held, block, epsilon, GathersNothing).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = (_, _) => null
}

/** Takes in what one bucket is made of. */
private[chronosketch] trait Gathering {

  /** All that a bucket of a list has. */
  def add(list: BucketList, i: Int): Unit

  /** Rows from `from` until `until`, told by their keys. */
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit

  /** What was taken in, as a bucket has it; then nothing. */
  def content(): AnyRef
}

private object GathersNothing extends Gathering {
  def add(list: BucketList, i: Int): Unit = ()
  def addRows(rowKeys: Array[Long], from: Int, until: Int): Unit = ()
  def content(): AnyRef = null
}

/** What a bucket of more than one position keeps, where that is neither keys nor a summary of ranks. */
private[chronosketch] trait Content {

  /** Numbers that are stored. */
  def stored: Int
  def sizeBytes: Long
}
