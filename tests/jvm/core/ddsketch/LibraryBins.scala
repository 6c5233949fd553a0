package chronosketch.ddsketch

import com.datadoghq.sketch.ddsketch.mapping.CubicallyInterpolatedMapping

/** The bins of an alpha computed with sketches-java's own mapping. [[Bins]] must give the same. */
final class LibraryBins(alpha: Double) {
  private val MinNormal = java.lang.Double.MIN_NORMAL
  private val Up = math.pow(2, 200)

  private val normal = new CubicallyInterpolatedMapping(alpha * (1 - math.pow(2, -20)))
  private val first = normal.index(MinNormal)
  private val last = normal.index(Double.MaxValue)
  private val tiny = new CubicallyInterpolatedMapping(alpha / 4)
  private val tinyFirst = tiny.index(Double.MinPositiveValue * Up)
  private val tinyLast = tiny.index(MinNormal * Up)
  private val firstNormal = tinyLast - tinyFirst + 2
  private val infinity = firstNormal + last - first + 1

  def of(value: Double): Int = {
    val magnitude = math.abs(value)
    val bin =
      if (magnitude >= MinNormal && magnitude <= Double.MaxValue)
        firstNormal - first + math.max(first, math.min(last, normal.index(magnitude)))
      else if (magnitude == 0) 0
      else if (magnitude < MinNormal)
        1 - tinyFirst + math.max(tinyFirst, math.min(tinyLast, tiny.index(magnitude * Up)))
      else if (magnitude != magnitude) infinity + 1
      else infinity
    if (value < 0) -bin else bin
  }

  /** The lower edge of a normal bin, as computed by the library. */
  def edge(bin: Int): Double = normal.lowerBound(bin - firstNormal + first)
  val normals: Range = firstNormal + 1 until infinity - 1
}
