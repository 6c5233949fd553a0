package chronosketch.summary

/** A tuning parameter: its name in SQL, its default and the closed range it can have. */
final case class Parameter(name: String, default: Double, least: Double, greatest: Double) {
  def allows(value: Double): Boolean = value >= least && value <= greatest
  def range: String = s"[${Parameter.text(least)}, ${Parameter.text(greatest)}]"
}

object Parameter {
  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}
