package chronosketch.advisor

/** One configuration to measure: an aggregate of sliding frames, computed by one approach, with one answer per frame.
  *
  * @param retention number of elements in a frame
  * @param slide     number of elements by which the frame moves
  * @param epsilon   the requested error; 0 for exact approaches
  */
final case class Cell(aggregate: String, approach: String, retention: Int, slide: Int, epsilon: Double) {
  def text: String =
    s"$aggregate $approach R=$retention S=$slide" + (if (epsilon > 0) s" epsilon=$epsilon" else "")
}

object Cell {

  /** The probability with which a sample's error may exceed ε. */
  final val Delta = 1e-4
}
