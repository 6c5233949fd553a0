package chronosketch.summary

import chronosketch.domain.Domain

/** A summary that takes values. */
trait Inserts extends Summary {
  def insert(key: Long): Unit

  /** The keys from `from` until `until`, in this order. */
  def insertAll(keys: Array[Long], from: Int, until: Int): Unit

  /** `copies` ≥ 0 elements of one key. */
  def insert(key: Long, copies: Long): Unit

  /** All keys that came, where they still wait one by one and are at most so many; otherwise null. */
  private[chronosketch] def arrived(most: Int): Arrived = null
}

/** A summary that takes values which came at some time. */
trait Timed extends Summary {
  def timeDomain: Domain

  /** `time` in the units of [[timeDomain]]; bit i of `passed` says whether the row passed its i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit

  /** `copies` ≥ 0 rows. */
  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit

  /** The rows from `from` until `until`, in this order, of which none passed a filter. */
  def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i), times(i), 0); i += 1 }
  }
}

/** A summary that may be told, beside a value and its time, which row they are of. */
trait TimedRows extends Timed {

  /** No two rows have the same `id`. */
  def insertRow(key: Long, time: Long, id: Long): Unit
}

/** A summary that takes pairs of values. */
trait InsertsPairs extends Summary {
  def insertPair(first: Long, second: Long): Unit
}
