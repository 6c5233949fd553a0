package chronosketch.summary

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.Phi

/** A summary whose quantiles need not be values that came. */
trait Estimates extends Summary {

  /** The φ-quantile; none where there are no elements. A φ that it does not answer is refused. */
  def estimate(phi: Phi): Option[Estimate]
}

/** A value that need not be one of its type's: the nearest key that is, and the value itself in the units of the type. */
final case class Estimate(key: Long, value: Double)

object Estimate {

  /** A value of the type, as near as doubles have it. */
  def of(key: Long, domain: Domain): Estimate =
    Estimate(
      key,
      if (domain.isFloating) DoubleKeys.value(key)
      else BigDecimal.valueOf(key, if (domain.isNumeric) domain.second else 0).doubleValue
    )
}
