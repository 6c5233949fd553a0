package chronosketch.spark.sliding.ranges

/** How rows are to be cut into ranges.
  *
  * @param most     how many ranges
  * @param isForced whether there are so many, however few the rows and however large the halos
  */
final case class RangeCut(reach: HaloReach, most: Int, isForced: Boolean) {
  def text: String = s"${if (isForced) "" else "up to "}$most"
}
