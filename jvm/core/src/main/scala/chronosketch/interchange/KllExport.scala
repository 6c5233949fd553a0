package chronosketch.interchange

import java.util.Locale

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.rank.RankProfile
import chronosketch.shape.CertainCount
import chronosketch.summary.Ranked

/** Converts a sketch to a KLL sketch of Apache DataSketches.
  *
  * Guarantee  the rank error that the library claims for the bytes is at least their true one. If possible it is twice as large, which leaves
  *            room for what the library adds when it merges them. Count, least and greatest value are exact, and so is everything
  *            if an exact sketch has at most k values. Equal sketches give equal bytes
  * Cost       O(r log m) for r items and m keys of the profile; r is at most 1/ε, or k if that is given
  * Units      items are DOUBLE, FLOAT or BIGINT
  * Source     departs from Karnin, Lang, Liberty, FOCS 2016: nothing is drawn. Values at equal rank steps of 2^L are the items of level L.
  *            The binary digits of the rest of the count are items of the levels below
  */
object KllExport {
  val LeastK: Int = KllSketch.LeastK
  val GreatestK: Int = 65535

  /** The rank error that is aimed at if a sketch has less and does not say which one it was built for. */
  private val LeastEpsilon = 1e-3

  /** The highest level: with more of them, weights would exceed 63 bits. */
  private val MostLevel = 60

  /** @param k the largest number of items that count equally, from [[LeastK]] to [[GreatestK]]; by default as many as ε needs */
  def write(sketch: Ranked, k: Option[Int]): Array[Byte] = {
    val domain = itemsOf(sketch.domain)
    val profile = CertainCount.require(sketch)
    val epsilon = epsilonOf(sketch)
    val maxItems = k.getOrElse(largestK(2 * epsilon))
    if (profile.isEmpty) KllBytes.empty(maxItems)
    else if (domain.isFloating && profile.maximum == DoubleKeys.NaN)
      throw refusal(
        "values that are NaN",
        "Leave them out before the sketch is built: FILTER (WHERE NOT isnan(value))"
      )
    else {
      val n = profile.countLow
      if (profile.isExact && n <= maxItems)
        bytes(domain, maxItems, maxItems, profile, itemsAt(profile, n, 0), 0)
      else {
        val (level, items, error) = placed(sketch, epsilon, k.getOrElse(GreatestK))
        val claimed = largestK(2 * math.max(error, epsilon))
        val written = k.getOrElse(claimed)
        val room = roomFor(written, items.length, level + 1)
        bytes(domain, room, math.min(written, claimed), profile, items, level)
      }
    }
  }

  /** The rank error that the sketch was built for. If that is not known, it is the error that it has. */
  private def epsilonOf(sketch: Ranked): Double = {
    val header = sketch.header
    header.family.parameters.zip(header.numbers).collectFirst {
      case (p, epsilon) if p.name == "epsilon" => epsilon
    }
      .getOrElse(if (sketch.profile.isEmpty) LeastEpsilon else math.max(LeastEpsilon, sketch.rankError))
  }

  /** Chooses the highest level and the items. At most `most` items count equally. Returns their certified rank error too, as a share of
    * the count.
    */
  private def placed(sketch: Ranked, epsilon: Double, most: Int): (Int, Array[Long], Double) = {
    val profile = sketch.profile
    // without sampled values there are bounds, but no estimates
    val estimates = if (sketch.estimates.isEmpty) profile else sketch.estimates
    val n = profile.countLow
    // a step adds half of itself to the error: as much as the sketch may have anyway
    val allowed = math.max(sketch.rankError, epsilon) * n.toDouble
    var level = 1
    while (level < MostLevel && (math.scalb(1.0, level) <= allowed || (n >> level) > most)) level += 1
    val greatest = KllSketch.normalizedRankError(LeastK)
    var items = itemsAt(estimates, n, level)
    var error = errorOf(profile, items, level)
    while (error > greatest && level > 1 && (n >> (level - 1)) <= most) {
      level -= 1
      items = itemsAt(estimates, n, level)
      error = errorOf(profile, items, level)
    }
    if (error > greatest) {
      throw refusal(
        "ranks that may be %.1f%% off".formatLocal(Locale.ROOT, 100 * error),
        "It claims at most 30.4 %. Build a sketch with a smaller error: with a smaller epsilon, finer buckets or a larger sample"
      )
    }
    (level, items, error)
  }

  /** The items in ascending order: first those of the level, then one for each binary digit of the rest of the count. Each is the
    * value in the middle of the ranks that it counts for.
    */
  private def itemsAt(estimates: RankProfile, n: Long, level: Int): Array[Long] = {
    val step = 1L << level
    val top = (n >> level).toInt
    val items = new Array[Long](top + java.lang.Long.bitCount(n & (step - 1)))
    var i = 0
    var before = 0L
    eachWeight(n, level) { weight =>
      items(i) = estimates.keyOfRank(before + (weight + 1) / 2)
      before += weight
      i += 1
    }
    items
  }

  /** Calls `take` with the weight of each item, in ascending order of the items. */
  private def eachWeight(n: Long, level: Int)(take: Long => Unit): Unit = {
    var i = n >> level
    while (i > 0) { take(1L << level); i -= 1 }
    var below = level - 1
    while (below >= 0) {
      if ((n >> below & 1) == 1) take(1L << below)
      below -= 1
    }
  }

  /** The certified rank error of what the library answers from the items, as a share of the count. */
  private def errorOf(profile: RankProfile, items: Array[Long], level: Int): Double = {
    val n = profile.countLow
    var worst, before = 0L
    var i = 0
    eachWeight(n, level) { weight =>
      val at = profile.position(items(i))
      val below = if (at >= 0 && profile.key(at) == items(i)) at - 1 else at
      // just below the item the library answers `before`, and from the item on what follows
      worst = math.max(worst, profile.rankHigh(below) - before)
      before += weight
      i += 1
      if (i == items.length || items(i) > items(i - 1)) worst = math.max(worst, before - profile.rankLow(at))
    }
    worst.toDouble / n.toDouble
  }

  /** The largest k whose claimed error is at least this one, or the least k. */
  private[interchange] def largestK(error: Double): Int = {
    var low = LeastK
    var high = GreatestK
    while (low < high) {
      val mid = (low + high + 1) >>> 1
      if (KllSketch.normalizedRankError(mid) >= error) low = mid else high = mid - 1
    }
    low
  }

  private def bytes(
      domain: Domain,
      k: Int,
      minK: Int,
      profile: RankProfile,
      items: Array[Long],
      level: Int
  ): Array[Byte] = {
    val n = profile.countLow
    val top = (n >> level).toInt
    val sizes = Array.tabulate(level + 1)(l => if (l == level) top else (n >> l & 1).toInt)
    // the library has the lowest level first: the last items count least
    val ordered = items.drop(top).reverse ++ items.take(top)
    KllBytes.write(domain, k, minK, n, profile.minimum, profile.maximum, ordered, sizes)
  }

  /** k, or the least one above it that has room for the items. */
  private def roomFor(k: Int, items: Int, levels: Int): Int = {
    var room = k
    while (room < GreatestK && KllBytes.capacity(room, levels) < items) room += 1
    room
  }

  private def itemsOf(domain: Domain): Domain = domain.kind match {
    case Kind.Double | Kind.Float => domain
    case kind if kind.isInteger => Domain.BigInt
    case kind =>
      // an expression of SQL that is a number and sorts like the values
      val number = kind match {
        case Kind.Decimal => "CAST(value AS DOUBLE)"
        case Kind.Date => "unix_date(value)"
        case Kind.Timestamp => "unix_micros(value)"
        case Kind.TimestampNtz => s"timestampdiff(MICROSECOND, $Epoch, value)"
        case Kind.YearMonthInterval => "CAST(CAST(value AS INTERVAL MONTH) AS INT)"
        case Kind.DayTimeInterval => s"timestampdiff(MICROSECOND, $Epoch, $Epoch + value)"
        case _ => "time_diff('MICROSECOND', TIME'00:00:00', value)"
      }
      throw refusal(
        s"values of type ${domain.sql}",
        s"It has items of DOUBLE, FLOAT or BIGINT. Build the sketch of $number"
      )
  }

  private val Epoch = "TIMESTAMP_NTZ'1970-01-01'"

  private def refusal(what: String, fix: String): Refusal = Refusal(
    "CHRONOSKETCH_NOT_EXPORTABLE",
    "format" -> "KLL sketch of Apache DataSketches",
    "what" -> what,
    "fix" -> fix
  )
}
