package chronosketch.counted

/** A bag of keys in ascending order with their counts. */
trait CountedKeys {

  /** The number of elements. */
  def total: Long

  /** The number of distinct keys. */
  def distinct: Int

  /** The number of tuples that represent the bag exactly: one for a key that occurs once, two for any other key. */
  def exactTuples: Long

  /** Copies the distinct keys, ascending, and their counts. The arrays need at least [[distinct]] elements. */
  def copyTo(keys: Array[Long], copies: Array[Long]): Unit

  /** The key at a rank, counted from 1. The rank must not be below that of the previous call since [[rewind]]. */
  def seek(rank: Long): Long

  /** Lets [[seek]] start again at rank 1. */
  def rewind(): Unit
}
