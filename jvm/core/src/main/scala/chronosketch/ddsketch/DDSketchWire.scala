package chronosketch.ddsketch

import chronosketch.codec.Wire
import chronosketch.counted.SortedCounts
import chronosketch.domain.Domain

/** Encodes and decodes the payload of a sketch, as described in docs/format.md. */
private[ddsketch] object DDSketchWire {

  /** The least number of bytes of a bin with its count. */
  private val SmallestBin = 2

  def write(w: Wire.Writer, stored: StoredBins): Unit = {
    val bins = stored.bins.keys
    val n = bins.length
    w.varint(n.toLong)
    if (n > 0) {
      w.zigzag(stored.least)
      w.varint(stored.greatest - stored.least)
      w.zigzag(bins(0))
      var i = 1
      while (i < n) { w.varint(bins(i) - bins(i - 1)); i += 1 }
      i = 0
      while (i < n) { w.varint(stored.bins.counts(i)); i += 1 }
    }
  }

  def read(r: Wire.Reader, domain: Domain, bins: Bins): StoredBins = {
    val n = r.size(SmallestBin)
    val numbers, counts = new Array[Long](n)
    if (n == 0) StoredBins(Long.MaxValue, Long.MinValue, 0L, new SortedCounts(numbers, counts))
    else {
      val least = r.zigzag()
      val greatest = least + r.varint()
      if (greatest < least || !domain.holds(least) || !domain.holds(greatest))
        throw r.corrupt(s"its least or greatest value is not of type ${domain.sql}")
      readBins(r, bins, numbers)
      requireKeys(r, new BinKeys(bins, domain), numbers, least, greatest)
      val total = readCounts(r, counts)
      if (total == 1 && least != greatest)
        throw r.corrupt("it has one value, but its least and greatest values differ")
      StoredBins(least, greatest, total, new SortedCounts(numbers, counts))
    }
  }

  private def readBins(r: Wire.Reader, bins: Bins, numbers: Array[Long]): Unit = {
    numbers(0) = r.zigzag()
    var i = 1
    while (i < numbers.length) {
      numbers(i) = numbers(i - 1) + r.varint()
      if (numbers(i) <= numbers(i - 1)) throw r.corrupt("its bins are not in increasing order")
      i += 1
    }
    if (numbers(0) < -bins.infinity || numbers(numbers.length - 1) > bins.nan)
      throw r.corrupt("it has a bin that does not exist")
  }

  /** Checks that each bin can hold a value from `least` to `greatest`, and that the first bin can hold `least` and the last one `greatest`. */
  private def requireKeys(
      r: Wire.Reader,
      keys: BinKeys,
      numbers: Array[Long],
      least: Long,
      greatest: Long
  ): Unit = {
    val last = numbers.length - 1
    if (keys.least(numbers(0).toInt) > least || keys.greatest(numbers(last).toInt) < greatest)
      throw r.corrupt("its least or greatest value is outside its bins")
    var i = 0
    while (i <= last) {
      // inner bins that are filled can always hold a value
      if (i == 0 || i == last || !keys.isFilled(numbers(i))) {
        val low = math.max(least, keys.least(numbers(i).toInt))
        val high = math.min(greatest, keys.greatest(numbers(i).toInt))
        if (low > high) throw r.corrupt("it has a bin that can't hold a value")
      }
      i += 1
    }
  }

  private def readCounts(r: Wire.Reader, counts: Array[Long]): Long = {
    var total = 0L
    var i = 0
    while (i < counts.length) {
      counts(i) = r.varint()
      total += counts(i)
      if (counts(i) <= 0 || total < 0) throw r.corrupt("its counts are not valid")
      i += 1
    }
    total
  }
}
