package chronosketch.spark.warehouse.blocks

/** Into how many parts, a task and a file each, do rows go? */
private[warehouse] object PartCount {

  /** What a part has at most, about, where it is sorted: that takes 24 bytes a row in memory. */
  val MostRows: Long = 4L << 20

  /** What a part has at most, about, where it is merged: files of some GB, so that the manifest stays short. */
  val MostMerged: Long = 1L << 28

  /** As many as tasks can be at work at once, or a multiple of it; of few rows fewer. */
  def of(rows: Long, atOnce: Int, mostRows: Long = MostRows): Int = {
    // fewer are not worth a part of their own
    val fewest = math.max(1L, math.min(mostRows, MostRows) / 16)
    val rounds = (rows + mostRows * atOnce - 1) / (mostRows * atOnce)
    math.max(1L, math.min((rows + fewest - 1) / fewest, rounds * atOnce)).toInt
  }
}
