package chronosketch.imported.datadog

import com.datadoghq.sketch.ddsketch.mapping.{
  CubicallyInterpolatedMapping,
  IndexMapping,
  LinearlyInterpolatedMapping,
  LogarithmicMapping,
  QuadraticallyInterpolatedMapping,
  QuarticallyInterpolatedMapping
}

/** Between which values does a bin of Datadog's libraries lie, above 0?
  *
  * Guarantee  every value that a library counted in bin i is from [[low]] to [[high]]: the library's own edges, moved outward by the share
  *            2⁻³⁶ + (|i| + |offset| + 1)·ln γ·(2⁻⁴⁸ + 2⁻⁵¹/(γ − 1)) of themselves, more than it is off in doubles, of which γ is one
  * Units      doubles above 0
  * Source     sketches-java, LogLikeIndexMapping; sketches-py, mapping.py
  *
  * Java and Go count a value in the bin whose lower edge it is at or above; Python in the one whose upper edge it is at or below, with
  * an index one greater. And γ means the width of a bin to Python, of whatever interpolation; to the others the base of the
  * logarithm that the interpolation comes near.
  */
private[datadog] final class DatadogMapping private (
    mapping: IndexMapping,
    logGamma: Double,
    offset: Double,
    shift: Int
) {

  /** Doubles lie between the edges of the bin. */
  def holds(index: Int): Boolean = {
    val (from, to) = (low(index), high(index))
    from <= Double.MaxValue && to >= java.lang.Double.MIN_NORMAL && from <= to
  }

  def low(index: Int): Double = {
    val edge = lower(index.toLong + shift) * (1 - margin(index))
    math.max(java.lang.Double.MIN_VALUE, edge)
  }

  def high(index: Int): Double =
    math.min(Double.MaxValue, lower(index.toLong + shift + 1) * (1 + margin(index)))

  /** Where a bin begins; beyond the normal doubles the library has no edges. */
  private def lower(index: Long): Double = {
    val octave = (index - offset) * (logGamma / DatadogMapping.LogOf2)
    if (octave < -1022) 0.0
    else if (octave >= 1024) Double.PositiveInfinity
    else mapping.lowerBound(index.toInt)
  }

  private def margin(index: Int): Double =
    DatadogMapping.Margin + (math.abs(index.toDouble) + math.abs(offset) + 1) * logGamma * rounding

  private val rounding = math.pow(2, -48) + math.pow(2, -51) / math.expm1(logGamma)
}

private[datadog] object DatadogMapping {
  private val Margin = math.pow(2, -36)
  private val LogOf2 = math.log(2)
  private val Cubic = 3

  /** γ is as far above 1 as bins of 10⁻⁶ of their values are wide, and offsets leave an index its digits; none where there is no such
    * mapping.
    */
  def of(gamma: Double, offset: Double, interpolation: Int, library: Library): Option[DatadogMapping] =
    if (!(gamma >= 1 + 1e-6 && gamma <= 1e6 && math.abs(offset) <= (1L << 24).toDouble)) None
    else library match {
      case Library.Java => made(gamma, offset, interpolation, shift = 0)
      // it takes the whole part of the sum
      case Library.Python if offset != math.rint(offset) => None
      case Library.Python =>
        val base = interpolation match {
          case 0 => Some(gamma)
          case 1 => Some(math.exp(math.log(gamma) * math.log(2)))
          case Cubic => Some(math.exp(math.log(gamma) * math.log(2) * 10 / 7))
          case _ => None
        }
        base.flatMap(made(_, offset, interpolation, shift = -1))
    }

  private def made(gamma: Double, offset: Double, interpolation: Int, shift: Int): Option[DatadogMapping] = {
    val mapping: Option[IndexMapping] = interpolation match {
      case 0 => Some(new LogarithmicMapping(gamma, offset))
      case 1 => Some(new LinearlyInterpolatedMapping(gamma, offset))
      case 2 => Some(new QuadraticallyInterpolatedMapping(gamma, offset))
      case Cubic => Some(new CubicallyInterpolatedMapping(gamma, offset))
      case 4 => Some(new QuarticallyInterpolatedMapping(gamma, offset))
      case _ => None
    }
    mapping.map(new DatadogMapping(_, math.log(gamma), offset, shift))
  }
}
