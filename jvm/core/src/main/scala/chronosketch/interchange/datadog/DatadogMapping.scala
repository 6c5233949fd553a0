package chronosketch.interchange.datadog

import com.datadoghq.sketch.ddsketch.mapping.{
  CubicallyInterpolatedMapping,
  IndexMapping,
  LinearlyInterpolatedMapping,
  LogarithmicMapping,
  QuadraticallyInterpolatedMapping,
  QuarticallyInterpolatedMapping
}

/** Computes the edges of a positive bin of Datadog's libraries.
  *
  * Guarantee  every value that a library counted in bin i is from [[low]] to [[high]]. These are the library's edges, moved outward by the
  *            relative amount 2⁻³⁶ + (|i| + |offset| + 1)·ln γ·(2⁻⁴⁸ + 2⁻⁵¹/(γ − 1)), which exceeds the library's rounding errors,
  *            including that of γ itself
  * Units      doubles above 0
  * Source     sketches-java, LogLikeIndexMapping; sketches-py, mapping.py
  *
  * In Java and Go a bin includes its lower edge; in Python it includes its upper edge, and its index is one greater. In Python γ is the
  * width of a bin for every interpolation; in Java and Go it is the base of the logarithm that the interpolation approximates.
  */
private[datadog] final class DatadogMapping private (
    mapping: IndexMapping,
    logGamma: Double,
    offset: Double,
    shift: Int
) {

  /** Whether a normal double can be in the bin. */
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

  /** The value from which both edges of a bin are equally far, relative to them. The library answers it. */
  def value(index: Int): Double = {
    val (from, to) = (low(index), high(index))
    to * (2 / (1 + to / from))
  }

  /** The lower edge of a bin. The library has no edges outside the range of normal doubles. */
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

  /** The mapping, or None if there is no such mapping, if γ is not between 1 + 10⁻⁶ and 10⁶, or if the offset is so large that indexes
    * lose precision.
    */
  def of(gamma: Double, offset: Double, interpolation: Int, library: Library): Option[DatadogMapping] =
    if (!(gamma >= 1 + 1e-6 && gamma <= 1e6 && math.abs(offset) <= (1L << 24).toDouble)) None
    else library match {
      case Library.Java => create(gamma, offset, interpolation, shift = 0)
      // sketches-py truncates the sum, so a fractional offset would shift the edges
      case Library.Python if offset != math.rint(offset) => None
      case Library.Python =>
        val base = interpolation match {
          case 0 => Some(gamma)
          case 1 => Some(math.exp(math.log(gamma) * math.log(2)))
          case Cubic => Some(math.exp(math.log(gamma) * math.log(2) * 10 / 7))
          case _ => None
        }
        base.flatMap(create(_, offset, interpolation, shift = -1))
    }

  private def create(
      gamma: Double,
      offset: Double,
      interpolation: Int,
      shift: Int
  ): Option[DatadogMapping] = {
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
