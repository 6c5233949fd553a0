package chronosketch.spark.warehouse.runs

/** Which error lets the sketches of all groups fit into so many bytes?
  *
  * Guarantee  they fit, but where groups are so many that the coarsest sketches don't
  * Cost       the sketches are made some ten times
  */
private[warehouse] object Fitting {

  /** What a group takes in memory beside its sketch, about. */
  private val BytesOfGroup = 200L

  /** A greater error says nothing. */
  val Coarsest = 0.5
  private val Wider = 1.15

  // a tuple takes five bytes at least
  private val LeastOfTuple = 5.0

  /** Of sketches of rows that come as they like: with a smaller error a task would hold all its rows. */
  private val Finest = 1e-6

  /** What groups take in memory, by the bytes of their sketches. */
  def bytes(sketches: Iterator[Array[Byte]]): Long = sketches.map(_.length + BytesOfGroup).sum

  /** The closest ones that fit, by trying: made with the epsilon that is given. */
  def closest[A](most: Long, groups: Int, sketch: A => Array[Byte])(make: Double => Seq[A]): Seq[A] = {
    val ofGroup = most / math.max(1, groups) - BytesOfGroup
    var epsilon = if (ofGroup <= 0) Coarsest else math.min(Coarsest, LeastOfTuple / ofGroup)
    var made = make(epsilon)
    while (epsilon < Coarsest && bytes(made.iterator.map(sketch)) > most) {
      epsilon = math.min(Coarsest, epsilon * Wider)
      made = make(epsilon)
    }
    made
  }

  /** The least epsilon that can be of use, where all bytes are one group's. */
  def finest(most: Long): Double = math.min(Coarsest, math.max(Finest, LeastOfTuple / most))
}
