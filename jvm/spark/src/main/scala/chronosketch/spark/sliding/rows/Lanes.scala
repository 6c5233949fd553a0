package chronosketch.spark.sliding.rows

/** Rows are collected in lanes, by their partition: those of one lane lie together, a piece of memory at a time. So the rows of a
  * partition go out from memory that is read forward, unless there are far more partitions than lanes.
  *
  * The pieces of a lane double up, so that what is not filled of them is no more than what is.
  */
private object Lanes {
  final val Count = 256

  def of(partition: Int): Int = partition & (Count - 1)
}
