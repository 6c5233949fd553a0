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
    new Joining(held, block.times, block.ties, block.size, epsilon, new Contents(domain, epsilon)).result()

  def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef = {
    val contents = new Contents(domain, epsilon)
    (a, b) => { contents.add(a); contents.add(b); contents.content() }
  }
}

/** What a bucket of more than one position keeps, where that is neither keys nor a summary of ranks. */
private[chronosketch] trait Content {

  /** Numbers that are stored. */
  def stored: Int
  def sizeBytes: Long
}
