package chronosketch.ddsketch

import chronosketch.counted.SortedCounts

/** What has a sketch in the bins as sketches-java numbers them, by their magnitudes on either side of 0?
  *
  * @param alpha    what bins keep to, a little less than the sketch's own
  * @param gamma    the library's, of its cubic mapping without an offset
  * @param zeros    values that are 0 or subnormal, which the library takes for 0
  * @param special  values that are NaN or infinite, which it does not take
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
    // bins rise: of negative values the greatest magnitude came first
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
