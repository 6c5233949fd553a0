package chronosketch.shape

import java.math.{BigDecimal => Exact, RoundingMode}

import chronosketch.domain.{Conversion, Domain, DoubleKeys}

/** Where does a key lie on a line of numbers? Exact, so that arithmetic on it keeps a certificate.
  *
  * Units      numbers as themselves, all other types in units of their keys
  */
private[shape] final class Reals(domain: Domain) {

  /** None where it is NaN or infinite. */
  def of(key: Long): Option[Exact] =
    if (domain.isFloating) {
      val value = DoubleKeys.value(key)
      if (value.isNaN || value.isInfinite) None else Some(new Exact(value))
    } else Some(Exact.valueOf(key, if (domain.isNumeric) domain.second else 0))

  /** The greatest key that is not above; the least of all where all are. */
  def floor(exact: Exact): Long = nearest(exact, Conversion.Down, RoundingMode.FLOOR)

  /** The least key that is not below; the greatest of all where all are. */
  def ceiling(exact: Exact): Long = nearest(exact, Conversion.Up, RoundingMode.CEILING)

  private def nearest(exact: Exact, ofNumbers: Conversion.Rounding, ofOthers: RoundingMode): Long = {
    val found =
      if (domain.isNumeric) Conversion.round(exact, domain, ofNumbers)
      else {
        val whole = exact.setScale(0, ofOthers).unscaledValue
        if (whole.bitLength > 63) None
        else Some(whole.longValueExact).filter(key => domain.least <= key && key <= domain.greatest)
      }
    found.getOrElse(if (exact.signum < 0) domain.least else domain.greatest)
  }
}
