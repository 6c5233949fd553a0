package chronosketch.summary

/** A tuning parameter: its name in SQL, its default and the closed range of its values. If `isWhole`, only whole numbers are
  * allowed.
  */
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

  /** Turns −0.0 into 0.0: where ε is −0.0, 2/ε would be −∞ and could not serve as an upper limit. */
  def unsigned(value: Double): Double = value + 0.0

  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}
