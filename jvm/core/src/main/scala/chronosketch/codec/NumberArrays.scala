package chronosketch.codec

/** Encodes unsorted numbers as differences from the least of them, all of one byte width.
  *
  * Cost  one load and one store per number, when encoding and when decoding
  */
private[chronosketch] object Packed {

  /** Writes the first n numbers, n > 0. Stores eight bytes for each; the next number overwrites those that are not needed. */
  def write(w: Wire.Writer, numbers: Array[Long], n: Int): Unit = {
    var least = numbers(0)
    var greatest = least
    var i = 1
    while (i < n) {
      least = math.min(least, numbers(i))
      greatest = math.max(greatest, numbers(i))
      i += 1
    }
    // unsigned: the range may not fit 63 bits
    val width = (71 - java.lang.Long.numberOfLeadingZeros(greatest - least)) / 8
    w.zigzag(least)
    w.byte(width)
    var at = w.skip(size(n, width))
    val to = w.array
    i = 0
    while (i < n) {
      LittleEndian.put(to, at, numbers(i) - least)
      at += width
      i += 1
    }
  }

  /** Reads n > 0 numbers into the beginning of an array. */
  def read(r: Wire.Reader, into: Array[Long], n: Int): Unit = {
    val least = r.zigzag()
    val width = r.byte()
    if (width > 8) throw r.corrupt(s"its numbers take $width bytes")
    var at = r.skip(size(n, width))
    val from = r.array
    val mask = if (width == 0) 0L else -1L >>> (64 - 8 * width)
    var i = 0
    while (i < n) {
      into(i) = least + (LittleEndian.get(from, at) & mask)
      at += width
      i += 1
    }
  }

  // the last number takes all of its eight bytes
  private def size(n: Int, width: Int): Long = (n - 1).toLong * width + 8
}

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
