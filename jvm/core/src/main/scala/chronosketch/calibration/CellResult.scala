package chronosketch.calibration

/** What one cell came to.
  *
  * @param updateNs CPU time of an element that comes and one that goes
  * @param queryNs  CPU time of an answer; 0 of approaches where updates and answers are one: all of it is in the former
  * @param bytes    the most memory that was seen
  * @param error    the greatest error that was seen
  */
final case class Measured(updateNs: Double, queryNs: Double, bytes: Long, error: Double, repeats: Int)
