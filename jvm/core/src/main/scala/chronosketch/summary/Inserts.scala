package chronosketch.summary

import chronosketch.domain.Domain

/** A summary that accepts values. */
trait Inserts extends Summary {
  def insert(key: Long): Unit

  /** Inserts the keys from `from` until `until`, in this order. */
  def insertAll(keys: Array[Long], from: Int, until: Int): Unit

  /** Inserts `copies` ≥ 0 elements with the same key. */
  def insert(key: Long, copies: Long): Unit

  /** All inserted keys, if they are at most `most` and still buffered one by one; otherwise null. */
  private[chronosketch] def bufferedKeys(most: Int): BufferedKeys = null
}

/** A summary that accepts values with times. */
trait Timed extends Summary {
  def timeDomain: Domain

  /** Inserts a row. `time` has the units of [[timeDomain]]; bit i of `passed` says whether the row passed filter i. */
  def insert(key: Long, time: Long, passed: Int): Unit

  /** Inserts `copies` ≥ 0 equal rows. */
  def insert(key: Long, time: Long, passed: Int, copies: Long): Unit

  /** Inserts the rows from `from` until `until`, in this order. None of them passed a filter. */
  def insertAll(keys: Array[Long], times: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i), times(i), 0); i += 1 }
  }
}

/** A summary that also accepts the id of the row that a value and its time belong to. */
trait TimedRows extends Timed {

  /** Inserts a row. Each row has its own `id`. */
  def insertRow(key: Long, time: Long, id: Long): Unit
}

/** A summary that accepts pairs of values. */
trait InsertsPairs extends Summary {
  def insertPair(first: Long, second: Long): Unit
}
