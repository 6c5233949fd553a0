package chronosketch.advisor

/** The work of one cell. */
sealed trait Workload {

  /** The current memory in bytes. */
  def bytes: Long

  /** The error of the last answer, relative to the number of elements in the frame or to the exact answer. */
  def error: Double
}

/** A workload that inserts and removes elements one by one, with queries between them. A slide removes and inserts S elements. */
abstract class Stepped extends Workload {

  /** The number of elements inserted in a slide. */
  def elements: Int

  /** Inserts the elements of the first frame. */
  def fill(): Unit

  def slide(): Unit

  /** Answers `queriesPerCall` times, which is more than once if an answer takes less time than reading the clock. */
  def query(): Unit
  def queriesPerCall: Int
}

/** A workload that answers many frames at once, in arrays, so that updates and queries cannot be separated. */
abstract class Batched extends Workload {

  /** The number of elements inserted in one run, including those of the first frame. */
  def elements: Long
  def run(): Unit
}
