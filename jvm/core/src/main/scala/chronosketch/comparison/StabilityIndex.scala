package chronosketch.comparison

import chronosketch.rank.RankProfile
import chronosketch.shape.EquiDepth

/** The population stability index: Σ (p − q)·ln(p/q) over bins, p and q being the shares of the two summaries in a bin.
  *
  * Guarantee  the exact index of these bins lies within the bounds, which are rounded outward. Bins end at quantiles that the first
  *            summary answers, so they are the same for the exact index. A bin includes its upper edge; the first one has no lower and
  *            the last one no upper end. Edges that are equal are one edge
  * Cost       O(bins · log m), m the number of keys of a profile
  * Units      nats. A summary without values in a bin counts as if it had half a value there; a bin that is empty in both adds nothing
  *
  * Half a value is what the Haldane–Anscombe correction adds to a count. The index stays finite, and a bin that is empty among 100
  * values says less than one that is empty among a million.
  */
object StabilityIndex {

  /** The fewest and the most bins that can be requested. */
  val LeastBins = 2
  val MostBins: Int = EquiDepth.MostBins

  def of(pair: SketchPair, bins: Int): BoundedNumber = {
    val ends = edges(pair.leftEstimates, bins)
    val left = new Bins(pair.left, pair.leftEstimates, ends)
    val right = new Bins(pair.right, pair.rightEstimates, ends)
    var value, low, high = 0.0
    var i = 0
    while (i <= ends.length) {
      val term = termOf(left.shares(i), right.shares(i))
      value += term.value
      low = math.max(0.0, Math.nextDown(low + term.low))
      high = Math.nextUp(high + term.high)
      i += 1
    }
    BoundedNumber.of(value, low, high)
  }

  /** The distinct quantiles 1/bins, 2/bins, … */
  private[comparison] def edges(estimates: RankProfile, bins: Int): Array[Long] =
    Array.range(1, bins).map(i => estimates.quantile(EquiDepth.share(i, bins))).distinct

  /** The share of a bin, and half a value of the same summary as a share. */
  private final case class Share(
      value: Double,
      low: Double,
      high: Double,
      least: Double,
      halfLow: Double,
      halfHigh: Double
  ) {
    def orHalf: Double = math.max(value, least)
    def lowOrHalf: Double = math.max(low, halfLow)
    def highOrHalf: Double = math.max(high, halfHigh)
  }

  private final class Bins(profile: RankProfile, estimates: RankProfile, ends: Array[Long]) {
    private val bounds = new Shares(profile)
    private val answers = new Shares(estimates)

    def shares(bin: Int): Share = {
      val (low, high) = bounds.between(position(profile, bin - 1), position(profile, bin))
      val value =
        answers.estimate(position(estimates, bin)).minus(answers.estimate(position(estimates, bin - 1)))
      def half(count: Long): Double = 0.5 / math.max(1L, count)
      Share(
        math.max(low, math.min(high, value)),
        low,
        high,
        half(profile.countLow + (profile.countHigh - profile.countLow) / 2),
        half(profile.countHigh),
        half(profile.countLow)
      )
    }

    private def position(of: RankProfile, bin: Int): Int =
      if (bin < 0) -1 else if (bin == ends.length) of.size - 1 else of.position(ends(bin))
  }

  /** Bounds of one bin's term. It is 0 where the shares are equal, and grows with the greater one and as the smaller one falls. */
  private def termOf(p: Share, q: Share): BoundedNumber = {
    val value = if (p.value <= 0 && q.value <= 0) 0.0 else term(p.orHalf, q.orHalf)
    val mayBeEmpty = p.low == 0 && q.low == 0
    val low =
      if (mayBeEmpty) 0.0
      else if (p.lowOrHalf > q.highOrHalf) down(p.lowOrHalf, q.highOrHalf)
      else if (q.lowOrHalf > p.highOrHalf) down(p.highOrHalf, q.lowOrHalf)
      else 0.0
    val high =
      if (p.high == 0 && q.high == 0) 0.0
      else math.max(up(p.highOrHalf, q.lowOrHalf), up(p.lowOrHalf, q.highOrHalf))
    BoundedNumber(value, low, high)
  }

  private def term(p: Double, q: Double): Double = (p - q) * StrictMath.log(p / q)

  private def down(p: Double, q: Double): Double = math.max(0.0, term(p, q) - rounding(p, q))
  private def up(p: Double, q: Double): Double = term(p, q) + rounding(p, q)

  /** More than the error of a term, whose shares and logarithm are rounded. */
  private def rounding(p: Double, q: Double): Double =
    1e-15 * ((p + q) * math.abs(StrictMath.log(p / q)) + 3 * math.abs(p - q)) + 1e-30
}
