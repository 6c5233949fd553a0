package chronosketch.advisor

/** The measurements of one cell.
  *
  * @param updateNs CPU time of adding one element and removing one
  * @param queryNs  CPU time of an answer; 0 if updates and answers cannot be separated, and `updateNs` contains both
  * @param bytes    the greatest memory observed
  * @param error    the greatest error observed
  */
final case class CellResult(updateNs: Double, queryNs: Double, bytes: Long, error: Double, repeats: Int)
