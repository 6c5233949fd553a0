package chronosketch.quantile

/** The tuples that stored bytes hold, before a summary has them.
  *
  * Cost  the arrays are used again where one a thread takes sketch after sketch: decoding then allocates nothing
  */
private[chronosketch] final class StoredTuples {
  var keys, gs, deltas: Array[Long] = GreenwaldKhanna.Nothing
  var size = 0
  var count = 0L

  /** Whether they tell every element. */
  var isExact = true

  def reserve(m: Int): Unit = if (keys.length < m) {
    keys = new Array[Long](m)
    gs = new Array[Long](m)
    deltas = new Array[Long](m)
  }

  /** Gives a giant's room back. */
  def trim(): Unit = if (keys.length > TupleScratch.MostKept) {
    keys = GreenwaldKhanna.Nothing
    gs = GreenwaldKhanna.Nothing
    deltas = GreenwaldKhanna.Nothing
  }
}
