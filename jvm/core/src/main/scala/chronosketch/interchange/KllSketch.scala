package chronosketch.interchange

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** Converts a KLL sketch of Apache DataSketches, such as Spark's `kll_sketch_agg_double` builds, to a sketch.
  *
  * Guarantee  for each question, a rank is within ε·n of the library's estimate with probability 99 %, where ε is the library's normalized
  *            rank error for its k. The least and the greatest value are exact. If all values were retained, everything is exact.
  *            Quantiles and ranks are those that the library answers
  * Cost       a sort of the retained items
  * Units      keys of the requested type
  * Source     Karnin, Lang, Liberty, Optimal quantile approximation in streams, FOCS 2016; Apache DataSketches,
  *            KllSketch.getNormalizedRankError
  */
object KllSketch {

  /** The types that items can have. */
  val Types: Seq[Domain] = Seq(Domain.Double, Domain.Float, Domain.BigInt)

  private[interchange] val LeastK = 8

  /** The probability with which the library's bounds fail, for each question. */
  private val Delta = 0.01

  def read(bytes: Array[Byte], domain: Domain): ImportedSketch = {
    require(Types.contains(domain), s"items of type ${domain.sql}")
    val kll = KllBytes.read(bytes, domain)
    if (kll.n == 0) ImportedSketch(domain, 0.0, RankProfile.empty)
    else imported(kll, domain)
  }

  /** The library's normalized rank error for single questions. */
  private[interchange] def normalizedRankError(k: Int): Double = 2.296 / math.pow(k.toDouble, 0.9723)

  private def imported(kll: KllBytes, domain: Domain): ImportedSketch = {
    val error = if (kll.isExact) 0L else math.ceil(normalizedRankError(kll.k) * kll.n.toDouble).toLong
    val maxSize = kll.items.length + 2
    val keys, low, high, skews = new Array[Long](maxSize)
    var size = 0
    def put(key: Long, estimate: Long): Unit = {
      keys(size) = key
      if (key == kll.greatest) {
        low(size) = kll.n
        high(size) = kll.n
      } else {
        // every key has the least value at or below it, and every key but the greatest has one above it
        low(size) = math.max(1L, estimate - error)
        high(size) = if (kll.n - 1 - estimate < error) kll.n - 1 else estimate + error
      }
      skews(size) = 2 * math.max(low(size), math.min(high(size), estimate)) - low(size) - high(size)
      size += 1
    }
    if (kll.items(0) > kll.least) put(kll.least, 0L)
    var upTo = 0L
    var i = 0
    while (i < kll.items.length) {
      upTo += kll.weights(i)
      if (i + 1 == kll.items.length || kll.items(i + 1) != kll.items(i)) put(kll.items(i), upTo)
      i += 1
    }
    if (keys(size - 1) < kll.greatest) put(kll.greatest, kll.n)
    val profile = RankProfile.certain(size, keys, low, high, kll.n)
    if (kll.isExact) ImportedSketch(domain, 0.0, profile)
    else ImportedSketch(domain, Delta, profile, skews.take(size))
  }
}
