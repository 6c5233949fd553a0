package chronosketch.codec

/** Numbers that rise, as their differences. */
private[chronosketch] object Rising {
  def write(w: Wire.Writer, numbers: Array[Long], n: Int): Unit = if (n > 0) {
    w.zigzag(numbers(0))
    var i = 1
    while (i < n) { w.varint(numbers(i) - numbers(i - 1)); i += 1 }
  }

  /** `n` of them, of which each takes a byte. */
  def read(r: Wire.Reader, n: Int): Array[Long] = {
    val numbers = new Array[Long](n)
    if (n > 0) numbers(0) = r.zigzag()
    var i = 1
    while (i < n) { numbers(i) = next(r, numbers(i - 1)); i += 1 }
    numbers
  }

  /** What comes after a number, whose difference to it follows; it must be greater. */
  def next(r: Wire.Reader, before: Long): Long = {
    val number = before + r.varint()
    if (number <= before) throw r.corrupt(s"$number follows $before, but the numbers must increase")
    number
  }
}
