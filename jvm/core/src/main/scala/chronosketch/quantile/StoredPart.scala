package chronosketch.quantile

import chronosketch.codec.Wire

/** Reads a stored sketch for a merge, in one of three forms: keys to insert, sorted keys to merge into the bag, or tuples to unite.
  *
  * Guarantee  refuses what [[QuantileRecipe.read]] refuses, and bytes after the payload
  * Cost       a pass over the bytes. The result is in arrays of the thread and valid until the next stored sketch is read
  *
  * @param mostMerged
  *   the most sorted keys that the other sketch can merge into its bag; −1 if it is not a bag
  */
private[quantile] final class StoredPart(stored: QuantileRecipe, reader: Wire.Reader, mostMerged: Int) {
  val tuples: Tuples = TupleScratch.own.stored
  tuples.reserve(MergeLimit.mostInserted(stored.epsilon))

  private val small = reader.fork()
  private val few = stored.readFew(small, tuples.keys)
  private val merged = if (few >= 0) -1 else readMerged()
  private val inserted = if (few >= 0 || merged >= 0) few else readInserted()

  /** The number of sorted keys in `tuples.keys` that are to be merged or inserted; −1 if the tuples are to be united. */
  val keys: Int = math.max(merged, inserted)

  if (keys < 0) GreenwaldKhannaWire.decode(reader, stored, tuples)
  (if (keys < 0) reader else small).requireEnd()

  /** Whether the keys are to be merged into the bag, not inserted. */
  def isSorted: Boolean = merged >= 0
  def count: Long = if (keys < 0) tuples.count else keys.toLong

  private def readMerged(): Int =
    if (mostMerged < 0) -1
    else {
      small.goTo(reader)
      val n = GreenwaldKhannaWire.readSorted(small, stored.domain, mostMerged, Long.MaxValue, tuples)
      if (n >= 0 && MergeLimit.isSmall(stored.epsilon, tuples.keys, n)) -1 else n
    }

  /** Reads the keys if they can be inserted one by one: a key with many copies would have to be kept with its count. */
  private def readInserted(): Int = {
    small.goTo(reader)
    val most = BagLimit.mostWithoutTuples(stored.epsilon)
    GreenwaldKhannaWire.readSorted(small, stored.domain, most, GreenwaldKhanna.FewestHeavy, tuples)
  }
}
