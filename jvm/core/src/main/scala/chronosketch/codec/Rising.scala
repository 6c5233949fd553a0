package chronosketch.codec

/** Encodes strictly increasing numbers as the first one and the differences. */
private[chronosketch] object Rising {
  def write(w: Wire.Writer, numbers: Array[Long], n: Int): Unit = if (n > 0) {
    w.zigzag(numbers(0))
    var i = 1
    while (i < n) { w.varint(numbers(i) - numbers(i - 1)); i += 1 }
  }

  /** Reads n numbers. The caller has checked n against the remaining bytes: each number takes at least one. */
  def read(r: Wire.Reader, n: Int): Array[Long] = {
    val numbers = new Array[Long](n)
    if (n > 0) numbers(0) = r.zigzag()
    var i = 1
    while (i < n) { numbers(i) = next(r, numbers(i - 1)); i += 1 }
    numbers
  }

  /** Reads a difference and returns `before` plus the difference, which must be greater than `before`. */
  def next(r: Wire.Reader, before: Long): Long = {
    val number = before + r.varint()
    if (number <= before) throw r.corrupt(s"$number follows $before, but the numbers must increase")
    number
  }
}
