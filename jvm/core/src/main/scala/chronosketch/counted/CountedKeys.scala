package chronosketch.counted

/** A bag whose keys are known in their order, each with how often it is there. */
trait CountedKeys {

  /** Elements, each as often as it is there. */
  def total: Long

  /** Different keys. */
  def distinct: Int

  /** The keys that are there once, and twice those that are there more often. */
  def onceOrTwice: Long

  /** Every key, rising, and how often it is there; the arrays hold [[distinct]] at least. */
  def copyTo(keys: Array[Long], copies: Array[Long]): Unit

  /** The key at a rank, from 1; ranks asked one after another may not fall, but after [[rewind]]. */
  def seek(rank: Long): Long

  def rewind(): Unit
}
