package chronosketch.spark.sliding.rows

/** Assigns partitions to lanes. Rows of a lane are stored together, a piece of memory at a time. So the rows of a partition are read
  * from memory in order, unless there are far more partitions than lanes.
  *
  * The pieces of a lane double in size, so that at most as much memory is unused as is used.
  */
private object Lanes {
  final val Count = 256

  def of(partition: Int): Int = partition & (Count - 1)
}
