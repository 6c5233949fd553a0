package chronosketch.quantile

import chronosketch.codec.Wire

/** How does a stored sketch come into another: are its keys inserted, or joined as they are, or its tuples united?
  *
  * Guarantee  refuses what [[QuantileRecipe.read]] refuses, and bytes that follow the payload
  * Cost       a pass over the bytes, into room that the thread has: what is read lives until the next one
  *
  * @param mostJoined
  *   how many keys in order the other can take in as they are; −1 where it is no bag
  */
private[quantile] final class StoredPart(stored: QuantileRecipe, reader: Wire.Reader, mostJoined: Int) {
  val tuples: Tuples = TupleScratch.own.stored
  tuples.reserve(MergeLimit.mostInserted(stored.epsilon))

  private val small = reader.fork()
  private val few = stored.readFew(small, tuples.keys)
  private val joined = if (few >= 0) -1 else readJoined()
  private val inserted = if (few >= 0 || joined >= 0) few else readInserted()

  /** How many keys, in order, are to be joined or inserted; −1 where tuples are to be united. */
  val keys: Int = math.max(joined, inserted)

  if (keys < 0) GreenwaldKhannaWire.decode(reader, stored, tuples)
  (if (keys < 0) reader else small).requireEnd()

  def isJoined: Boolean = joined >= 0
  def count: Long = if (keys < 0) tuples.count else keys.toLong

  private def readJoined(): Int =
    if (mostJoined < 0) -1
    else {
      small.goTo(reader)
      val n = GreenwaldKhannaWire.readSettled(small, stored.domain, mostJoined, Long.MaxValue, tuples)
      if (n >= 0 && MergeLimit.isSmall(stored.epsilon, tuples.keys, n)) -1 else n
    }

  /** Where no key is counted: copies that are counted are not inserted one by one. */
  private def readInserted(): Int = {
    small.goTo(reader)
    val most = BagLimit.mostSettled(stored.epsilon)
    GreenwaldKhannaWire.readSettled(small, stored.domain, most, GreenwaldKhanna.FewestHeavy, tuples)
  }
}
