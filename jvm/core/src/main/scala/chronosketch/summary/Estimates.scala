package chronosketch.summary

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.Phi

/** A summary that estimates quantiles by values that need not have been inserted. */
trait Estimates extends Summary {

  /** The φ-quantile; None if there are no elements. Refuses a φ that the summary does not answer. */
  def estimate(phi: Phi): Option[Estimate]
}

/** An estimated value, which the type need not be able to represent: the nearest key of the type, and the value in the type's
  * units.
  */
final case class Estimate(key: Long, value: Double)

object Estimate {

  /** The estimate that is the value of a key; `value` is the nearest double. */
  def of(key: Long, domain: Domain): Estimate =
    Estimate(
      key,
      if (domain.isFloating) DoubleKeys.value(key)
      else BigDecimal.valueOf(key, if (domain.isNumeric) domain.second else 0).doubleValue
    )
}
