package chronosketch.window

import chronosketch.Refusal

/** The named filters of a sketch, and the classes into which they divide the rows.
  *
  * Bit i of a row's class says whether the row passes the i-th filter. So each row has one class. Each class has its own buckets,
  * so that any combination of filters counts an element once, and the error of a window is relative to the elements that passed.
  */
object Filters {

  /** With 6 filters there are 2⁶ classes. Each may have as many buckets as a sketch without filters. */
  final val Most = 6

  def check(names: Seq[String]): Unit = {
    if (names.size > Most) throw tooMany(names.size)
    names.diff(names.distinct).headOption.foreach { twice =>
      throw Refusal("CHRONOSKETCH_FILTER_NAMED_TWICE", "filter" -> twice)
    }
  }

  private[chronosketch] def tooMany(count: Int): Refusal =
    Refusal("CHRONOSKETCH_TOO_MANY_FILTERS", "count" -> count.toString, "limit" -> Most.toString)

  /** The names as text for messages. */
  def text(names: Seq[String]): String = if (names.isEmpty) "none" else names.mkString(", ")

  def classes(filters: Int): Int = 1 << filters
}
