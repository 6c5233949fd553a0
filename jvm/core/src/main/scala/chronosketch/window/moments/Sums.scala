package chronosketch.window.moments

import java.lang.Double.isFinite

import chronosketch.bucketing.Content
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.window.moments.DirectedRounding._

/** Bounds for sums over some elements: the count, the sums of the positive and of the negative ones, and their squared distances.
  *
  * Guarantee  each sum lies between its two bounds, whatever the values and their order. A sum of whole numbers below 2⁵³ is
  *            exact; others are off by at most one rounding per addition
  * Cost       some 40 additions per element, which wait for each other less if many are added at once; 104 bytes
  * Units      values of floating types, keys of others
  * Merge      adds the sums; squares are first converted to a common anchor
  *
  * Distances are measured from an anchor, a double near the mean, so that a large mean costs the spread no digits. If some
  * elements are NaN or infinite, `specials` has a bit for each such kind, and the sums are not maintained.
  */
private[chronosketch] final class Sums extends Content {
  var count = 0L
  var specials = 0

  // the sum of the elements above 0, and the sum of the magnitudes of the others
  var positiveLow, positiveHigh, negativeLow, negativeHigh = 0.0

  // the sums of the distances from the anchor, and of their squares
  var anchor = 0.0
  var distanceLow, distanceHigh, squareLow, squareHigh = 0.0

  def stored: Int = 6
  def sizeBytes: Long = 104

  def clear(): Unit = {
    count = 0
    clearSums()
    specials = 0
  }

  private def clearSums(): Unit = {
    anchor = 0.0
    positiveLow = 0.0; positiveHigh = 0.0; negativeLow = 0.0; negativeHigh = 0.0
    distanceLow = 0.0; distanceHigh = 0.0; squareLow = 0.0; squareHigh = 0.0
  }

  /** Records that there are non-finite elements of these kinds. */
  def markSpecial(kinds: Int): Unit = if ((specials | kinds) != specials) {
    specials |= kinds
    clearSums()
  }

  def set(that: Sums): Unit = {
    count = that.count
    specials = that.specials
    positiveLow = that.positiveLow
    positiveHigh = that.positiveHigh
    negativeLow = that.negativeLow
    negativeHigh = that.negativeHigh
    anchor = that.anchor
    distanceLow = that.distanceLow
    distanceHigh = that.distanceHigh
    squareLow = that.squareLow
    squareHigh = that.squareHigh
  }

  def copy: Sums = {
    val other = new Sums
    other.set(this)
    other
  }

  /** Adds copies of an element. It becomes the anchor if it has more copies than there were elements. */
  def add(key: Long, copies: Long, isFloating: Boolean): Unit = if (copies > 0) {
    val high = Sums.high(key, isFloating)
    if (isFinite(high)) {
      if (copies > count && specials == 0) moveAnchorTo(high)
      addNear(high, Sums.low(key, high, isFloating), copies)
      recentre()
    } else {
      count += copies
      markSpecial(Sums.specialBit(high))
    }
  }

  /** Adds copies of the finite element high + low without moving the anchor. */
  def addNear(high: Double, low: Double, copies: Long): Unit = {
    count += copies
    if (specials == 0)
      if (copies == 1) addOne(high, low) else addMany(high, low, copies)
  }

  private def addOne(high: Double, low: Double): Unit = {
    var from = addDown(high, -anchor)
    var to = addUp(high, -anchor)
    if (low == 0) {
      if (high > 0) {
        positiveLow = addDown(positiveLow, high)
        positiveHigh = addUp(positiveHigh, high)
      } else {
        negativeLow = addDown(negativeLow, -high)
        negativeHigh = addUp(negativeHigh, -high)
      }
    } else {
      addMagnitude(high, low, 1.0, 1.0)
      from = addDown(from, low)
      to = addUp(to, low)
    }
    if (from != 0 || to != 0) {
      distanceLow = addDown(distanceLow, from)
      distanceHigh = addUp(distanceHigh, to)
      squareLow = addDown(squareLow, squareDown(from, to))
      squareHigh = addUp(squareHigh, squareUp(from, to))
    }
  }

  /** Adds rows without moving the anchor, faster than one by one. It adds them up in plain doubles, and the rounding errors too. From the
    * sum of the errors' magnitudes follows how far the sum of the errors may be off: with n rows by less than n·2⁻⁵⁰ of it. If it is 0, the
    * sums are exact.
    *
    * Returns false, without a change, if a row is not finite, so large or small that squares may overflow or underflow, or a whole number
    * that a double cannot hold.
    *
    * Source  Ogita, Rump and Oishi, Accurate sum and dot product, 2005, Sum2
    */
  def addRows(keys: Array[Long], from: Int, until: Int, isFloating: Boolean): Boolean = {
    val center = anchor
    val mostSize = if (isFloating) Sums.MostSize else Sums.MostWhole
    val leastSquare = Sums.LeastSquare
    var isPlain = specials == 0 && Math.abs(center) <= Sums.MostSize
    // for each sum: the sum, the sum of its errors, and the sum of their magnitudes
    var positive, positiveError, positiveErrors = 0.0
    var negative, negativeError, negativeErrors = 0.0
    var distances, distanceError, distanceErrors = 0.0
    var squares, squareError, squareErrors = 0.0
    var inexact = 0.0 // the sum of the magnitudes of the errors of distances
    var i = from
    while (isPlain && i < until) {
      val x = Sums.high(keys(i), isFloating)
      val distance = x - center
      val distanceOff = errorOf(x, -center, distance)
      val square = distance * distance
      isPlain = Math.abs(x) <= mostSize && (square >= leastSquare || distance == 0)
      if (x > 0) {
        val sum = positive + x
        val off = errorOf(positive, x, sum)
        positive = sum
        positiveError += off
        positiveErrors += Math.abs(off)
      } else {
        val sum = negative - x
        val off = errorOf(negative, -x, sum)
        negative = sum
        negativeError += off
        negativeErrors += Math.abs(off)
      }
      val nextDistances = distances + distance
      val off = errorOf(distances, distance, nextDistances)
      distances = nextDistances
      distanceError += off + distanceOff
      distanceErrors += Math.abs(off) + Math.abs(distanceOff)
      inexact += Math.abs(distanceOff)
      val nextSquares = squares + square
      val squareOff = Math.fma(distance, distance, -square)
      val squaresOff = errorOf(squares, square, nextSquares)
      // (d + e)² = d² + 2de + e²
      val cross = 2 * distance * distanceOff
      squares = nextSquares
      squareError += squaresOff + squareOff + cross
      squareErrors += Math.abs(squaresOff) + Math.abs(squareOff) + Math.abs(cross)
      i += 1
    }
    if (isPlain) {
      val n = until - from
      count += n.toLong
      val share = n.toDouble * Sums.ErrorOfErrors
      val positiveOff = mulUp(positiveErrors, share)
      positiveLow = addDown(positiveLow, lower(positive, positiveError, positiveOff))
      positiveHigh = addUp(positiveHigh, upper(positive, positiveError, positiveOff))
      val negativeOff = mulUp(negativeErrors, share)
      negativeLow = addDown(negativeLow, lower(negative, negativeError, negativeOff))
      negativeHigh = addUp(negativeHigh, upper(negative, negativeError, negativeOff))
      val distanceOff = mulUp(distanceErrors, share)
      distanceLow = addDown(distanceLow, lower(distances, distanceError, distanceOff))
      distanceHigh = addUp(distanceHigh, upper(distances, distanceError, distanceOff))
      // e² of each distance is at most 2⁻¹⁰⁶·d²
      val ofSquares = if (inexact == 0) 0.0 else squares * Sums.ErrorOfSquares
      val squareOff = addUp(mulUp(squareErrors, share), ofSquares)
      squareLow = addDown(squareLow, lower(squares, squareError, squareOff))
      squareHigh = addUp(squareHigh, upper(squares, squareError, squareOff))
    }
    isPlain
  }

  // bounds of a sum whose errors add up to `error`, which is wrong by at most `off`
  private def lower(sum: Double, error: Double, off: Double): Double = addDown(sum, addDown(error, -off))
  private def upper(sum: Double, error: Double, off: Double): Double = addUp(sum, addUp(error, off))

  private def addMany(high: Double, low: Double, copies: Long): Unit = {
    val (least, most) = (wholeDown(copies), wholeUp(copies))
    addMagnitude(high, low, least, most)
    val from = addDown(addDown(high, -anchor), low)
    val to = addUp(addUp(high, -anchor), low)
    distanceLow = addDown(distanceLow, timesDown(from, to, least, most))
    distanceHigh = addUp(distanceHigh, timesUp(from, to, least, most))
    squareLow = addDown(squareLow, mulDown(squareDown(from, to), least))
    squareHigh = addUp(squareHigh, mulUp(squareUp(from, to), most))
  }

  /** Adds to the sum of the element's sign. `low` is less than an ulp of `high`, and does not change the sign. */
  private def addMagnitude(high: Double, low: Double, least: Double, most: Double): Unit =
    if (high > 0) {
      positiveLow = addDown(positiveLow, mulDown(addDown(high, low), least))
      positiveHigh = addUp(positiveHigh, mulUp(addUp(high, low), most))
    } else {
      negativeLow = addDown(negativeLow, mulDown(addDown(-high, -low), least))
      negativeHigh = addUp(negativeHigh, mulUp(addUp(-high, -low), most))
    }

  /** Adds other sums. The anchor is that of the larger set of elements. */
  def add(that: Sums): Unit =
    if (count == 0 && specials == 0) set(that)
    else {
      if (that.count > count && specials == 0 && that.specials == 0) moveAnchorTo(that.anchor)
      addNear(that)
      recentre()
    }

  /** Adds other sums without moving the anchor. */
  def addNear(that: Sums): Unit = {
    count += that.count
    if (that.specials != 0) markSpecial(that.specials)
    if (specials == 0) {
      positiveLow = addDown(positiveLow, that.positiveLow)
      positiveHigh = addUp(positiveHigh, that.positiveHigh)
      negativeLow = addDown(negativeLow, that.negativeLow)
      negativeHigh = addUp(negativeHigh, that.negativeHigh)
      if (that.anchor == anchor) addDistances(that)
      else {
        val moved = that.copy
        moved.moveAnchorTo(anchor)
        addDistances(moved)
      }
    }
  }

  private def addDistances(that: Sums): Unit = {
    distanceLow = addDown(distanceLow, that.distanceLow)
    distanceHigh = addUp(distanceHigh, that.distanceHigh)
    squareLow = addDown(squareLow, that.squareLow)
    squareHigh = addUp(squareHigh, that.squareHigh)
  }

  /** Moves the anchor from a to b: Σ(x − b)² = Σ(x − a)² + 2(a − b)Σ(x − a) + n(a − b)². */
  def moveAnchorTo(newAnchor: Double): Unit = if (newAnchor != anchor) {
    val (from, to) = (addDown(anchor, -newAnchor), addUp(anchor, -newAnchor))
    val (least, most) = (wholeDown(count), wholeUp(count))
    val crossLow = timesDown(2 * from, 2 * to, distanceLow, distanceHigh)
    val crossHigh = timesUp(2 * from, 2 * to, distanceLow, distanceHigh)
    squareLow = Math.max(
      0.0,
      addDown(addDown(squareLow, mulDown(squareDown(from, to), least)), crossLow)
    )
    squareHigh = Math.max(0.0, addUp(addUp(squareHigh, mulUp(squareUp(from, to), most)), crossHigh))
    distanceLow = addDown(distanceLow, timesDown(from, to, least, most))
    distanceHigh = addUp(distanceHigh, timesUp(from, to, least, most))
    anchor = newAnchor
  }

  /** Moves the anchor to the mean if it is so far away that digits would be lost. */
  def recentre(): Unit = if (specials == 0) {
    val distance = distanceLow / 2 + distanceHigh / 2
    val square = distance * distance
    if (square > count.toDouble * squareHigh / 4) {
      val mean = anchor + distance / count.toDouble
      if (isFinite(mean) && isFinite(square)) moveAnchorTo(mean)
    }
  }

  def sumLow: Double = addDown(positiveLow, -negativeHigh)
  def sumHigh: Double = addUp(positiveHigh, -negativeLow)

  def magnitudeLow: Double = addDown(positiveLow, negativeLow)
  def magnitudeHigh: Double = addUp(positiveHigh, negativeHigh)

  /** Approximate mean; the anchor if there are no elements. */
  def mean: Double =
    if (count == 0) anchor else anchor + (distanceLow / 2 + distanceHigh / 2) / count.toDouble

  // bounds of the sum of squared distances from the mean
  def spreadLow: Double =
    if (count <= 1) 0.0
    else
      Math.max(
        0.0,
        addDown(squareLow, -divUp(squareUp(distanceLow, distanceHigh), wholeDown(count)))
      )
  def spreadHigh: Double =
    if (count <= 1) 0.0
    else Math.max(0.0, addUp(squareHigh, -divDown(squareDown(distanceLow, distanceHigh), wholeUp(count))))

  /** Whether the squares and distances did not overflow. */
  def hasSpread: Boolean =
    squareHigh <= Double.MaxValue && distanceLow >= -Double.MaxValue && distanceHigh <= Double.MaxValue
}

private[chronosketch] object Sums {
  final val NaN = 1
  final val Above = 2
  final val Below = 4

  /** Values up to this are added at once: no square overflows, nor does a sum of as many as an array has. */
  private val MostSize = Math.scalb(1.0, 480)

  /** Whole numbers up to this have a double of their own. */
  private val MostWhole = Math.scalb(1.0, 53) - 1

  /** The least square whose error is a double. */
  private val LeastSquare = Math.scalb(1.0, -900)

  /** The share of the errors' magnitudes by which their sum may be wrong, for each row. */
  private val ErrorOfErrors = Math.scalb(1.0, -50)

  /** The share of the squares by which they may be wrong because distances are rounded, besides what is added. */
  private val ErrorOfSquares = Math.scalb(1.0, -104)

  def of(key: Long, copies: Long, domain: Domain): Sums = {
    val one = new Sums
    one.add(key, copies, domain.isFloating)
    one
  }

  /** The content of a bucket with more than one position. */
  def of(content: AnyRef): Sums = content match {
    case sums: Sums => sums
    case other => throw new IllegalArgumentException(s"no sums of a bucket: $other")
  }

  /** Why sums of values can't stay as they are when the values are cast. */
  def castObstacle(cast: Cast): Option[String] =
    Option.unless(cast.isExact && cast.from.scale == cast.to.scale)(
      "it has sums, which don't tell what the cast changes in each value"
    )

  def specialBit(value: Double): Int = if (value.isNaN) NaN else if (value > 0) Above else Below

  /** The sum of non-finite values of these kinds. */
  def sumOf(specials: Int): Double =
    if (specials == Above) Double.PositiveInfinity
    else if (specials == Below) Double.NegativeInfinity
    else Double.NaN

  /** The double nearest to a value. */
  def high(key: Long, isFloating: Boolean): Double = if (isFloating) DoubleKeys.value(key) else key.toDouble

  /** The difference between a value and that double. */
  def low(key: Long, high: Double, isFloating: Boolean): Double =
    if (isFloating) 0.0
    else {
      val whole = high.toLong
      // 2⁶³ does not fit into a long
      if (high == Math.scalb(1.0, 63)) (key - Long.MaxValue).toDouble - 1.0 else (key - whole).toDouble
    }
}
