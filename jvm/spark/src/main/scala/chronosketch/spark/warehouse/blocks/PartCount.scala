package chronosketch.spark.warehouse.blocks

/** Chooses the number of parts of sorted rows. Each part is one task and one file. */
private[warehouse] object PartCount {

  /** The approximate maximal number of rows in a part that is sorted, which takes 24 bytes per row in memory. */
  val MostRows: Long = 4L << 20

  /** The approximate maximal number of rows in a part that is merged. Its files have some GB, which keeps the manifest short. */
  val MostMerged: Long = 1L << 28

  /** A multiple of the number of tasks that run at once, or fewer parts for few rows. */
  def of(rows: Long, atOnce: Int, mostRows: Long = MostRows): Int = {
    // a part with fewer rows is not worth a task
    val fewest = math.max(1L, math.min(mostRows, MostRows) / 16)
    val rounds = (rows + mostRows * atOnce - 1) / (mostRows * atOnce)
    math.max(1L, math.min((rows + fewest - 1) / fewest, rounds * atOnce)).toInt
  }
}
