package chronosketch.comparison

import chronosketch.Refusal

/** How many rows are worth one independent row for a quantile, if users are independent and the rows of a user are alike.
  *
  * The share of the rows at or below the quantile is a ratio of two sums over users. Its variance is that of the ratio estimator: the
  * sum of the squares of below − p·rows, p being the share of all. The effect is this variance over p(1 − p)/n, which is that of n
  * independent rows.
  *
  * With few users the estimator is too small: each user moves p towards its own share. It also varies as a t distribution does, and an
  * interval treats it as known. Both grow with h = Σ rows²/(Σ rows)², which is 1/k for k users with equally many rows. (1 − h)⁻⁴ makes up
  * for both: (1 − h)⁻² for the estimator, and at 95 % about as much for the square of t/z.
  *
  * Guarantee  at least 1. CoverageCampaign counts how often the intervals contain the quantile
  * Source     Deng, Knoblich, Lu, Applying the Delta Method in Metric Analytics, KDD 2018, §4
  */
object DesignEffect {

  /** How many sums over users there are. */
  val Sums = 6

  /** The relative error of a few roundings. */
  private val Rounding = Math.scalb(1.0, -50)

  /** Adds a user to the sums: rows at or below the quantile, and all rows. A user without rows adds nothing. Refuses all other numbers:
    * counts in the wrong order would give the effect 1, and so intervals that are too narrow.
    */
  def add(below: Double, rows: Double)(addTo: (Int, Double) => Unit): Unit = {
    if (!(0 <= below && below <= rows) || rows.isInfinite)
      throw Refusal(
        "CHRONOSKETCH_INVALID_USER_COUNTS",
        "below" -> below.toString,
        "count" -> rows.toString
      )
    if (rows > 0) {
      addTo(0, 1.0)
      addTo(1, below)
      addTo(2, rows)
      addTo(3, below * below)
      addTo(4, below * rows)
      addTo(5, rows * rows)
    }
  }

  /** The effect, given the sums; None if there are fewer than two users. */
  def of(sum: Int => Double): Option[Double] = {
    val (users, below, rows) = (sum(0), sum(1), sum(2))
    Option.when(users > 1) {
      val p = below / rows
      // no less than the error of this difference: if one user has nearly all rows, their share cancels itself
      val squares = math.max(sum(3) * Rounding, sum(3) - 2 * p * sum(4) + p * p * sum(5))
      val correction = math.pow(math.max(Rounding, 1 - sum(5) / (rows * rows)), -4)
      // without rows on both sides there is no variance to compare with
      if (p <= 0 || p >= 1) 1.0
      else math.max(1.0, users / (users - 1) * squares / (rows * p * (1 - p)) * correction)
    }
  }
}
