package chronosketch.ddsketch

import chronosketch.counted.SortedCounts

/** The bins of a sketch as sketches-java numbers them, by magnitude for either sign.
  *
  * @param alpha    the relative error of the bins, slightly less than the sketch's own
  * @param gamma    the parameter of the library's cubic mapping without an offset
  * @param zeros    number of values that are 0 or subnormal, which the library treats as 0
  * @param special  number of values that are NaN or infinite, which the library does not accept
  */
private[chronosketch] final case class ExportedBins(
    alpha: Double,
    gamma: Double,
    positive: Array[Int],
    positiveCounts: Array[Long],
    negative: Array[Int],
    negativeCounts: Array[Long],
    zeros: Long,
    special: Long
)

private[ddsketch] object ExportedBins {
  def of(bins: Bins, counts: SortedCounts): ExportedBins = {
    var zeros, special = 0L
    val positive, negative = Array.newBuilder[Int]
    val positiveCounts, negativeCounts = Array.newBuilder[Long]
    var i = 0
    while (i < counts.keys.length) {
      val bin = counts.keys(i).toInt
      val count = counts.counts(i)
      if (math.abs(bin) >= bins.infinity) special += count
      else if (!bins.isNormal(bin)) zeros += count
      else if (bin > 0) {
        positive += bins.libraryIndex(bin)
        positiveCounts += count
      } else {
        negative += bins.libraryIndex(-bin)
        negativeCounts += count
      }
      i += 1
    }
    // bins are in increasing order, so negative bins are by decreasing magnitude
    ExportedBins(
      bins.libraryAlpha,
      bins.libraryGamma,
      positive.result(),
      positiveCounts.result(),
      negative.result().reverse,
      negativeCounts.result().reverse,
      zeros,
      special
    )
  }
}
