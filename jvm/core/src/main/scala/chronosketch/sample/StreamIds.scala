package chronosketch.sample

/** Tells the samples of one part of the rows from one another, and from those of other parts: equal rows in two of them must not meet
  * the same chance, or their union is a worse sample than it says.
  */
private[chronosketch] sealed trait Streams extends Serializable {
  def next(): Long
}

private[chronosketch] object Streams {

  /** Of a sample by itself. */
  case object Alone extends Streams {
    def next(): Long = 0L
  }

  /** The first, second, … of a part. */
  final class InPart(part: Int) extends Streams {
    private var made = 0L
    def next(): Long = {
      made += 1
      (part.toLong << 40) + made
    }
  }
}
