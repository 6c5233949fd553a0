package chronosketch.quantile

/** Maps the keys of a range to cells.
  *
  * Guarantee  a greater key is never in a lower cell
  * Cost       one load per key
  * Units      keys of any domain
  *
  * The range is divided into segments of equal width. A segment is divided into cells of equal width; the more cells the keys of a
  * sample need, the more it gets. So a gap in the middle of the range, such as the one between negative and positive doubles, takes
  * no cells away from the values.
  *
  * @param least
  *   the least key of the range
  * @param span
  *   the distance from the least to the greatest key
  * @param shift
  *   the segment of a key is its distance from the least key, shifted by this
  * @param segments
  *   the position of each segment's first cell, times 2³³, and the shift that maps a key to its cell; and that of the cell for keys
  *   outside of the range
  * @param cells
  *   the number of cells
  */
private[quantile] final class CellLayout private (
    val least: Long,
    val span: Long,
    val shift: Int,
    val segments: Array[Long],
    val cells: Int
)

private[quantile] object CellLayout {

  /** There are at most 2 to this power segments, hardly more than half the number of cells, and one more for values outside. */
  private val MostSegmentBits = 11

  private def segmentBits(wanted: Double): Int =
    math.min(MostSegmentBits, 31 - Integer.numberOfLeadingZeros(wanted.toInt))

  /** Lays out about `wanted` cells for the keys from `least` to `greatest`, as many in each segment as `share` says for the first n
    * keys of a sample. Returns null if half of them are outside of the range.
    */
  def create(least: Long, greatest: Long, sample: Array[Long], n: Int, wanted: Double)(
      share: CellShare
  ): CellLayout = {
    val span = greatest - least
    val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(span) - segmentBits(wanted))
    val segments = new Array[Long]((span >>> shift).toInt + 2)
    val below = count(sample, n, least, span, shift, segments)
    if (below < 0) null
    else new CellLayout(least, span, shift, segments, layOut(segments, share, below, n, span, shift))
  }

  /** Replaces each segment's number of sampled keys by the position of its cells and the shift that maps a key to its cell. Returns the
    * number of all cells. The last segment has only the cells that the range reaches.
    */
  private def layOut(
      segments: Array[Long],
      share: CellShare,
      below: Int,
      n: Int,
      span: Long,
      shift: Int
  ): Int = {
    val last = segments.length - 2
    val reached = span & ((1L << shift) - 1)
    var before = below.toLong
    var cells = 0
    var segment = 0
    while (segment <= last) {
      val size = segments(segment)
      val wanted = share.cells(before, size, n - before - size)
      before += size
      val bits = bitsFor(if (segment < last) wanted else wanted * (1L << shift) / (reached + 1), shift)
      segments(segment) = (2L * cells << 32) | (shift - bits)
      cells += (if (segment < last) 1 << bits else (reached >>> (shift - bits)).toInt + 1)
      segment += 1
    }
    segments(last + 1) = (2L * cells << 32) | 63
    cells
  }

  /** Counts the sampled keys of each segment in `to`. Returns the number of keys below the range; −1 if half are outside. */
  private def count(
      sample: Array[Long],
      n: Int,
      least: Long,
      span: Long,
      shift: Int,
      to: Array[Long]
  ): Int = {
    var inside = 0
    var below = 0
    var i = 0
    while (i < n) {
      val above = sample(i) - least
      if (above + Long.MinValue <= span + Long.MinValue) {
        to((above >>> shift).toInt) += 1
        inside += 1
      } else if (sample(i) < least) below += 1
      i += 1
    }
    if (inside < n / 2) -1 else below
  }

  /** The least b with 2 to the b ≥ wanted, but at most `most`. */
  private def bitsFor(wanted: Double, most: Int): Int = {
    var bits = 0
    while (bits < most && (1L << bits) < wanted) bits += 1
    bits
  }
}

/** Says how many cells a segment should have. */
private[quantile] trait CellShare {

  /** The number of cells for `size` sampled keys that follow `before` others and precede `after` others. */
  def cells(before: Long, size: Long, after: Long): Double
}
