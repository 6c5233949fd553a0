package chronosketch.spark.warehouse.runs

/** Finds nearly the smallest error with which the sketches of all groups fit into a number of bytes.
  *
  * Guarantee  they fit, unless the coarsest sketches do not fit either because there are too many groups
  * Cost       the sketches are made about ten times
  */
private[warehouse] object Fitting {

  /** The approximate bytes that a group takes in memory in addition to its sketch. */
  private val BytesOfGroup = 200L

  /** The greatest useful error: a greater one says nothing. */
  val Coarsest = 0.5

  /** The factor by which the error grows from try to try. */
  private val Wider = 1.15

  // the least bytes of a tuple
  private val LeastOfTuple = 5.0

  /** Lower bound for ε of unsorted input; below it a task would hold all its rows. */
  private val Finest = 1e-6

  /** The memory that groups take, given their sketches. */
  def bytes(sketches: Iterator[Array[Byte]]): Long = sketches.map(_.length + BytesOfGroup).sum

  /** Makes sketches with increasing ε until they fit, and returns the first that do. `make` makes them with a given ε. */
  def closest[A](most: Long, groups: Int, sketch: A => Array[Byte])(make: Double => Seq[A]): Seq[A] = {
    val bytesPerGroup = most / math.max(1, groups) - BytesOfGroup
    var epsilon = if (bytesPerGroup <= 0) Coarsest else math.min(Coarsest, LeastOfTuple / bytesPerGroup)
    var made = make(epsilon)
    while (epsilon < Coarsest && bytes(made.iterator.map(sketch)) > most) {
      epsilon = math.min(Coarsest, epsilon * Wider)
      made = make(epsilon)
    }
    made
  }

  /** The least ε that can be useful: the one if a single group takes all bytes. */
  def finest(most: Long): Double = math.min(Coarsest, math.max(Finest, LeastOfTuple / most))
}
