package chronosketch.window.moments

import chronosketch.codec.Wire
import chronosketch.domain.DoubleKeys
import chronosketch.window.ContentWire

/** Encodes [[Sums]], as docs/format.md describes. */
private[moments] object MomentsWire extends ContentWire {

  // bits of the form: which sums are not 0, and above them the kinds of non-finite values
  private val HasPositive = 1
  private val HasNegative = 2
  private val HasSpread = 4
  private val Specials = 3
  private val LastForm = 63

  def write(w: Wire.Writer, count: Long, content: AnyRef, key: Long): Long = {
    write(w, Sums.of(content))
    key
  }

  def read(r: Wire.Reader, key: Long): ContentWire.Read = {
    val sums = read(r)
    ContentWire.Read(sums.count, sums, key)
  }

  def write(w: Wire.Writer, s: Sums): Unit = {
    w.varint(s.count)
    val hasPositive = s.positiveHigh != 0
    val hasNegative = s.negativeHigh != 0
    val hasSpread = s.squareHigh != 0 || s.distanceLow != 0 || s.distanceHigh != 0
    w.byte(
      (if (hasPositive) HasPositive else 0) | (if (hasNegative) HasNegative else 0) |
        (if (hasSpread) HasSpread else 0) | (s.specials << Specials)
    )
    if (s.specials == 0) {
      w.double(s.anchor + 0.0)
      if (hasPositive) interval(w, s.positiveLow, s.positiveHigh)
      if (hasNegative) interval(w, s.negativeLow, s.negativeHigh)
      if (hasSpread) {
        interval(w, s.distanceLow, s.distanceHigh)
        interval(w, s.squareLow, s.squareHigh)
      }
    }
  }

  /** Writes an interval: its lower end, and the number of doubles up to its upper end. */
  private def interval(w: Wire.Writer, low: Double, high: Double): Unit = {
    w.double(low + 0.0)
    w.varint(DoubleKeys.key(high) - DoubleKeys.key(low))
  }

  def read(r: Wire.Reader): Sums = {
    val s = new Sums
    s.count = r.varint()
    if (s.count < 0) throw r.corrupt("its count has more than 63 bits")
    val form = r.byte()
    if (form > LastForm) throw r.corrupt(s"its sums have an unknown form ($form)")
    s.specials = form >>> Specials
    if (s.specials != 0) {
      if (s.count == 0 || (form & ((1 << Specials) - 1)) != 0)
        throw r.corrupt("it has sums of values that are not finite")
    } else {
      s.anchor = r.double() + 0.0
      if (!java.lang.Double.isFinite(s.anchor)) throw r.corrupt("the anchor of its sums is not a number")
      if ((form & HasPositive) != 0) {
        s.positiveLow = low(r, isSigned = false)
        s.positiveHigh = high(r, s.positiveLow)
      }
      if ((form & HasNegative) != 0) {
        s.negativeLow = low(r, isSigned = false)
        s.negativeHigh = high(r, s.negativeLow)
      }
      if ((form & HasSpread) != 0) {
        s.distanceLow = low(r, isSigned = true)
        s.distanceHigh = high(r, s.distanceLow)
        s.squareLow = low(r, isSigned = false)
        s.squareHigh = high(r, s.squareLow)
      }
      if (s.count == 0 && (form != 0 || s.anchor != 0)) throw r.corrupt("it has sums, but no values")
    }
    s
  }

  private def low(r: Wire.Reader, isSigned: Boolean): Double = {
    val value = r.double() + 0.0
    if (!(value < Double.PositiveInfinity) || (value < 0 && !isSigned))
      throw r.corrupt(s"one of its sums begins at $value")
    value
  }

  private def high(r: Wire.Reader, low: Double): Double = {
    val from = DoubleKeys.key(low)
    val to = from + r.varint()
    // −0 and 0 are the same double, but have two keys
    if (to < from || to > DoubleKeys.PositiveInfinity || !DoubleKeys.isKey(to))
      throw r.corrupt("one of its sums ends before it begins")
    DoubleKeys.value(to)
  }
}
