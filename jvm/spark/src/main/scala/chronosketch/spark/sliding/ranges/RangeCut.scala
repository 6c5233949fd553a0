package chronosketch.spark.sliding.ranges

/** Tells how to cut rows into ranges.
  *
  * @param most     the largest number of ranges
  * @param isForced whether to make this many ranges even if rows are few or halos are large
  */
final case class RangeCut(reach: HaloReach, most: Int, isForced: Boolean) {
  def text: String = s"${if (isForced) "" else "up to "}$most"
}
