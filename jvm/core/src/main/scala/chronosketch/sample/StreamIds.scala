package chronosketch.sample

/** Numbers the random streams of samples, so that equal rows in two samples are drawn independently. Otherwise the union of the
  * samples would be less precise than it claims.
  */
private[chronosketch] sealed trait StreamIds extends Serializable {
  def next(): Long
}

private[chronosketch] object StreamIds {

  /** For a single sample, built outside a partitioned query: always stream 0. */
  case object Alone extends StreamIds {
    def next(): Long = 0L
  }

  /** For the samples of one partition: the first, the second, and so on. */
  final class InPart(part: Int) extends StreamIds {
    private var made = 0L
    def next(): Long = {
      made += 1
      (part.toLong << 40) + made
    }
  }
}
