package chronosketch.quantile

import chronosketch.counted.CountedKeys

/** Builds tuples from sorted keys with counts. */
private[quantile] object CountedTuples {

  /** Tuples that represent every key with its count. */
  def exact(counted: CountedKeys): Tuples = {
    val tuples = new Tuples
    tuples.reserve(counted.exactTuples.toInt)
    val distinct = counted.distinct
    val keys, copies = new Array[Long](distinct)
    counted.copyTo(keys, copies)
    var i = 0
    while (i < distinct) { add(tuples, keys(i), copies(i)); i += 1 }
    tuples.count = counted.total
    tuples
  }

  /** Appends the tuples of a new greatest key: (v, 1, 0) and, if there are more copies, (v, copies − 1, 0). The arrays must have room
    * for both.
    */
  def add(to: Tuples, key: Long, copies: Long): Unit = {
    to.keys(to.size) = key
    to.gs(to.size) = 1L
    to.size += 1
    if (copies > 1) {
      to.keys(to.size) = key
      to.gs(to.size) = copies - 1
      to.size += 1
    }
  }

  /** Tuples of the keys at the ranks 1, 1 + step, …, and of the last key. */
  def atRanks(counted: CountedKeys, step: Long): Tuples = {
    val n = counted.total
    val tuples = new Tuples
    tuples.reserve((n / step + 3).toInt)
    val k = tuples.keys
    val g = tuples.gs
    var m = 0
    var last = 0L
    counted.rewind()
    while (last < n) {
      val rank = if (last == 0) 1L else if (n - last < step) n else last + step
      val key = counted.seek(rank)
      if (m > 1 && k(m - 1) == key && k(m - 2) == key) g(m - 1) += rank - last
      else {
        k(m) = key
        g(m) = rank - last
        m += 1
      }
      last = rank
    }
    tuples.size = m
    tuples.count = n
    tuples
  }
}
