package chronosketch.shape

import java.math.{BigDecimal => Exact, RoundingMode}

import chronosketch.Refusal
import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.rank.RankProfile
import chronosketch.summary.Bounded

/** Converts keys to exact real numbers and back, so that arithmetic on them keeps certified bounds.
  *
  * Units  the numbers themselves; values of other types in the units of their keys
  */
private[shape] final class Reals(domain: Domain) {

  /** The number of a key; None if it is NaN or infinite. */
  def exact(key: Long): Option[Exact] =
    if (domain.isFloating) {
      val value = DoubleKeys.value(key)
      if (value.isNaN || value.isInfinite) None else Some(new Exact(value))
    } else Some(Exact.valueOf(key, domain.scale))

  /** The greatest key whose number is not above `exact`; the least key of the domain if all are above it. */
  def floor(exact: Exact): Long = round(exact, Conversion.Down, RoundingMode.FLOOR)

  /** The least key whose number is not below `exact`; the greatest key of the domain if all are below it. */
  def ceiling(exact: Exact): Long = round(exact, Conversion.Up, RoundingMode.CEILING)

  private def round(exact: Exact, numeric: Conversion.Rounding, other: RoundingMode): Long = {
    val rounded =
      if (domain.isNumeric) Conversion.round(exact, domain, numeric)
      else {
        val whole = exact.setScale(0, other).unscaledValue
        if (whole.bitLength > 63) None
        else Some(whole.longValueExact).filter(key => domain.least <= key && key <= domain.greatest)
      }
    rounded.getOrElse(if (exact.signum < 0) domain.least else domain.greatest)
  }
}

/** Checks a summary for answers that depend on the ranks of single elements. */
private[chronosketch] object CertainCount {

  /** Returns the profile of a summary of numbers. Refuses values that are not numbers, and an uncertain count. */
  def require(summary: Bounded): RankProfile = {
    if (!summary.domain.isNumeric) throw Refusal("CHRONOSKETCH_NOT_NUMBERS", "type" -> summary.domain.sql)
    requireCount(summary)
  }

  /** Returns the profile of a summary. Refuses an uncertain count. */
  def requireCount(summary: Bounded): RankProfile = {
    val profile = summary.profile
    if (profile.countLow != profile.countHigh) {
      throw Refusal(
        "CHRONOSKETCH_COUNT_IN_DOUBT",
        "least" -> profile.countLow.toString,
        "most" -> profile.countHigh.toString
      )
    }
    profile
  }
}
