package chronosketch.summary

/** A tuning parameter: its name in SQL, its default and the closed range it can have, of which it may have the whole numbers alone. */
final case class Parameter(
    name: String,
    default: Double,
    least: Double,
    greatest: Double,
    isWhole: Boolean = false
) {
  def allows(value: Double): Boolean =
    value >= least && value <= greatest && (!isWhole || value == math.rint(value))

  def range: String = {
    val ends = s"[${Parameter.text(least)}, ${Parameter.text(greatest)}]"
    if (isWhole) s"the whole numbers of $ends" else ends
  }
}

object Parameter {

  /** The number, without the sign of a zero: 2/ε of −0.0 is no upper limit. */
  def unsigned(value: Double): Double = value + 0.0

  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}
