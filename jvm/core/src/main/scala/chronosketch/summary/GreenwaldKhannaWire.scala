package chronosketch.summary

import chronosketch.codec.Wire

/** The payload of a quantile sketch; codec/FORMAT.md has it in words. */
private[summary] object GreenwaldKhannaWire {
  private val ExactBag = 0
  private val Tuples = 1

  def write(w: Wire.Writer, sketch: GreenwaldKhanna): Unit = {
    val k = sketch.keys
    val g = sketch.gs
    val d = sketch.deltas
    val size = sketch.size
    var distinct = 0
    var exact = true
    var i = 0
    while (i < size) {
      if (i == 0 || k(i) != k(i - 1)) {
        distinct += 1
        if (g(i) + d(i) > 1) exact = false
      }
      i += 1
    }
    if (exact) {
      w.byte(ExactBag)
      w.varint(distinct.toLong)
      var last = 0L
      i = 0
      while (i < size) {
        if (i == 0) w.zigzag(k(0)) else if (k(i) != k(i - 1)) w.varint(k(i) - last)
        last = k(i)
        i += 1
      }
      i = 0
      while (i < size) {
        val paired = i + 1 < size && k(i + 1) == k(i)
        w.varint(if (paired) 1 + g(i + 1) else 1L)
        i += (if (paired) 2 else 1)
      }
    } else {
      w.byte(Tuples)
      w.varint(size.toLong)
      w.zigzag(k(0))
      i = 1
      while (i < size) { w.varint(k(i) - k(i - 1)); i += 1 }
      i = 0
      while (i < size) { w.varint(g(i)); i += 1 }
      i = 0
      while (i < size) { w.varint(d(i)); i += 1 }
    }
  }

  def read(r: Wire.Reader, sketch: GreenwaldKhanna): GreenwaldKhanna = {
    r.byte() match {
      case ExactBag => readExact(r, sketch)
      case Tuples => readTuples(r, sketch)
      case other => throw r.corrupt(s"its payload has no known form ($other)")
    }
    sketch
  }

  /** Differences are unsigned; a sum that comes out at or below the key before it ran over. */
  private def readKeys(
      r: Wire.Reader,
      sketch: GreenwaldKhanna,
      m: Int,
      k: Array[Long],
      distinct: Boolean
  ): Unit = {
    var i = 0
    while (i < m) {
      if (i == 0) k(0) = r.zigzag()
      else {
        val difference = r.varint()
        k(i) = k(i - 1) + difference
        val before = k(i) < k(i - 1)
        if (before || (difference == 0 && distinct)) throw r.corrupt("its values are not in order")
      }
      if (!sketch.domain.holds(k(i))) throw r.corrupt(s"it has a value that ${sketch.domain.sql} can't have")
      i += 1
    }
  }

  private def positive(r: Wire.Reader): Long = {
    val value = r.varint()
    if (value < 1) throw r.corrupt("it has a weight that is not positive")
    value
  }

  private def sum(r: Wire.Reader, a: Long, b: Long): Long = {
    val total = a + b
    if (total < 0) throw r.corrupt("its count has more than 63 bits")
    total
  }

  private def readExact(r: Wire.Reader, sketch: GreenwaldKhanna): Unit = {
    val m = r.size(2)
    val distinct = new Array[Long](m)
    readKeys(r, sketch, m, distinct, distinct = true)
    val k, g = new Array[Long](2 * m)
    var o = 0
    var n = 0L
    var i = 0
    while (i < m) {
      val copies = positive(r)
      n = sum(r, n, copies)
      k(o) = distinct(i)
      g(o) = 1L
      o += 1
      if (copies > 1) {
        k(o) = distinct(i)
        g(o) = copies - 1
        o += 1
      }
      i += 1
    }
    sketch.restore(k, g, new Array[Long](k.length), o, n)
  }

  private def readTuples(r: Wire.Reader, sketch: GreenwaldKhanna): Unit = {
    val m = r.size(3)
    val k, g, d = new Array[Long](m)
    readKeys(r, sketch, m, k, distinct = false)
    var n = 0L
    var i = 0
    while (i < m) { g(i) = positive(r); n = sum(r, n, g(i)); i += 1 }
    val most = math.max(1L, GreenwaldKhanna.share(2 * sketch.epsilon, n))
    var rank = 0L
    var before = 0L // the greatest rank that the key before can have: it never falls, nor passes n
    i = 0
    while (i < m) {
      d(i) = r.varint()
      rank += g(i)
      val paired = i > 0 && k(i) == k(i - 1)
      if (paired) {
        if (d(i) != 0) throw r.corrupt("the second of two equal values has a Δ")
        if (i > 1 && k(i) == k(i - 2)) throw r.corrupt("three tuples have one value")
      } else if (d(i) < 0 || d(i) > most - g(i)) throw r.corrupt("its error is above its epsilon")
      else {
        if (d(i) > n - rank || rank + d(i) < before) throw r.corrupt("its ranks contradict one another")
        before = rank + d(i)
      }
      i += 1
    }
    if (m == 0 || g(0) != 1 || d(0) != 0 || d(m - 1) != 0)
      throw r.corrupt("its minimum or maximum is not exact")
    sketch.restore(k, g, d, m, n)
  }
}
