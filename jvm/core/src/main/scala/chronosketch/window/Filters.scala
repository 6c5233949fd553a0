package chronosketch.window

import chronosketch.Refusal

/** Which named filters does a sketch know, and which classes of rows do they make?
  *
  * A row's class has bit i set where it passes the i-th filter: each row is in one class, and each class keeps buckets of its
  * own, so that every window over any filters counts an element once, and holds its promise by what passed.
  */
object Filters {

  /** 2⁶ classes: each keeps as many buckets as a sketch without filters. */
  final val Most = 6

  def check(names: Seq[String]): Unit = {
    if (names.size > Most) throw tooMany(names.size)
    names.diff(names.distinct).headOption.foreach { twice =>
      throw Refusal("CHRONOSKETCH_FILTER_NAMED_TWICE", "filter" -> twice)
    }
  }

  private[chronosketch] def tooMany(count: Int): Refusal =
    Refusal("CHRONOSKETCH_TOO_MANY_FILTERS", "count" -> count.toString, "limit" -> Most.toString)

  /** For messages. */
  def text(names: Seq[String]): String = if (names.isEmpty) "none" else names.mkString(", ")

  def classes(filters: Int): Int = 1 << filters
}
