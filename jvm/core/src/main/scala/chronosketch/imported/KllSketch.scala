package chronosketch.imported

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** What does a KLL sketch of Apache DataSketches say, such as Spark's `kll_sketch_agg_double` builds?
  *
  * Guarantee  a rank is within ε·n of the library's estimate with 99 %, for each question, where ε is the library's normalized rank error of
  *            its k; least and greatest value are exact. Where nothing was thrown away all is exact, and certain
  * Cost       a sort of the items kept
  * Units      keys of the type asked for
  * Merge      none: [[ImportedSketch]]es merge
  * Source     Karnin, Lang, Liberty, Optimal quantile approximation in streams, FOCS 2016; Apache DataSketches,
  *            KllSketch.getNormalizedRankError
  */
object KllSketch {

  /** The types that items can have. */
  val Types: Seq[Domain] = Seq(Domain.Double, Domain.Float, Domain.BigInt)

  private[imported] val LeastK = 8

  /** How often the library's bounds fail, for each question. */
  private val Delta = 0.01

  def read(bytes: Array[Byte], domain: Domain): ImportedSketch = {
    require(Types.contains(domain), s"items of type ${domain.sql}")
    val kll = KllBytes.read(bytes, domain)
    if (kll.n == 0) ImportedSketch(domain, 0.0, RankProfile.empty)
    else ImportedSketch(domain, if (kll.isWhole) 0.0 else Delta, profile(kll))
  }

  /** What the library says of ranks asked one by one. */
  private[imported] def normalizedRankError(k: Int): Double = 2.296 / math.pow(k.toDouble, 0.9723)

  private def profile(kll: KllBytes): RankProfile = {
    val off = if (kll.isWhole) 0L else math.ceil(normalizedRankError(kll.k) * kll.n.toDouble).toLong
    val most = kll.items.length + 2
    val keys, low, high = new Array[Long](most)
    var size = 0
    def put(key: Long, estimate: Long): Unit = {
      keys(size) = key
      if (key == kll.greatest) {
        low(size) = kll.n
        high(size) = kll.n
      } else {
        // the least is one that is not above, and the greatest is one that is
        low(size) = math.max(1L, estimate - off)
        high(size) = if (kll.n - 1 - estimate < off) kll.n - 1 else estimate + off
      }
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
    RankProfile.certain(size, keys, low, high, kll.n)
  }
}
