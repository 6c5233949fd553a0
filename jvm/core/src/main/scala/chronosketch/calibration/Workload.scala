package chronosketch.calibration

/** What is measured of one cell. */
sealed trait Workload {

  /** The memory kept now. */
  def bytes: Long

  /** How far off the last answer was: a share of the frame's ranks, or of the exact answer. */
  def error: Double
}

/** Elements come and go one by one, and questions are asked between them: a slide is S elements that go and S that come. */
abstract class Stepped extends Workload {

  /** How many elements come in a slide. */
  def elements: Int

  /** Up to the first frame. */
  def fill(): Unit

  def slide(): Unit

  /** So often as `asks` says, where one answer takes less time than a look at the clock. */
  def ask(): Unit
  def asks: Int
}

/** Frames are answered many at a time, in arrays, so that updates and questions are one. */
abstract class Whole extends Workload {

  /** How many elements one run takes in, the first frame's too. */
  def elements: Long
  def run(): Unit
}
