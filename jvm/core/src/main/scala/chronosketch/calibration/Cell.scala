package chronosketch.calibration

/** One workload and one way to do it: frames of so many elements that move on by so many, one answer each.
  *
  * @param epsilon the error asked for; 0 of approaches that have none
  */
final case class Cell(aggregate: String, approach: String, retention: Int, slide: Int, epsilon: Double) {
  def text: String =
    s"$aggregate $approach R=$retention S=$slide" + (if (epsilon > 0) s" epsilon=$epsilon" else "")
}

object Cell {

  /** The probability with which a sample's error may exceed ε. */
  final val Delta = 1e-4
}
