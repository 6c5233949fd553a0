package chronosketch.window

import chronosketch.Refusal

/** Selects the rows of a query: a window, the rows that pass a filter, or a combination of both.
  *
  * [[WithinLast]] and [[AmongLast]] are windows; [[Passes]] is a filter. Only filters may be negated: the rows outside a window
  * precede it, and their number grows without limit.
  */
sealed trait Constraint

object Constraint {

  /** Rows with a time in (newest − span, newest], in units of the time. */
  final case class WithinLast(span: Long) extends Constraint

  /** The newest `rows` rows, whatever filters they pass. */
  final case class AmongLast(rows: Long) extends Constraint

  /** Rows that pass the filter with this index. */
  final case class Passes(filter: Int) extends Constraint
  final case class And(left: Constraint, right: Constraint) extends Constraint
  final case class Or(left: Constraint, right: Constraint) extends Constraint
  final case class Not(inner: Constraint) extends Constraint

  /** Rejects negated windows, and more filters than there can be classes for. */
  def check(constraint: Constraint): Unit = {
    checkNegations(constraint, isNegated = false)
    val distinct = filters(constraint).size
    if (distinct > Filters.Most) throw Filters.tooMany(distinct)
  }

  private def checkNegations(constraint: Constraint, isNegated: Boolean): Unit = constraint match {
    case Not(inner) => checkNegations(inner, isNegated = true)
    case And(left, right) => checkNegations(left, isNegated); checkNegations(right, isNegated)
    case Or(left, right) => checkNegations(left, isNegated); checkNegations(right, isNegated)
    case Passes(_) =>
    case WithinLast(_) | AmongLast(_) => if (isNegated) throw Refusal("CHRONOSKETCH_WINDOW_UNDER_NOT")
  }

  /** The indices of the filters that the constraint uses. */
  def filters(constraint: Constraint): Set[Int] = constraint match {
    case Not(inner) => filters(inner)
    case And(left, right) => filters(left) ++ filters(right)
    case Or(left, right) => filters(left) ++ filters(right)
    case Passes(filter) => Set(filter)
    case WithinLast(_) | AmongLast(_) => Set.empty
  }
}

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

/** Describes how far back a constraint reaches among the rows of one class, which pass the same filters.
  *
  * Every window contains all rows after some position. So of two windows one contains the other: OR is the longer one, AND the
  * shorter one. Within a class the filters are constants. So the constraint is a single window, all rows, or no rows.
  */
private[chronosketch] sealed trait Reach {

  /** Whether it depends on the number of rows. */
  def countsRows: Boolean = this match {
    case Reach.Rows(_) => true
    case Reach.Shorter(left, right) => left.countsRows || right.countsRows
    case Reach.Longer(left, right) => left.countsRows || right.countsRows
    case _ => false
  }

  /** The latest time before the window that ends at `from`; None if the window has no beginning. Must not be called if
    * [[countsRows]].
    */
  def lastTimeBefore(from: Long): Option[Long] = this match {
    case Reach.All => None
    case Reach.Nothing => Some(Long.MaxValue)
    case Reach.Span(span) =>
      if (Windowed.reachesAll(from, span)) None else Some(Windowed.back(from, span))
    case Reach.Shorter(left, right) => (left.lastTimeBefore(from) ++ right.lastTimeBefore(from)).maxOption
    case Reach.Longer(left, right) =>
      for (a <- left.lastTimeBefore(from); b <- right.lastTimeBefore(from)) yield math.min(a, b)
    case Reach.Rows(_) => throw new IllegalArgumentException(s"a number of rows, not a time: $this")
  }
}

private[chronosketch] object Reach {
  case object Nothing extends Reach
  case object All extends Reach
  final case class Span(span: Long) extends Reach
  final case class Rows(rows: Long) extends Reach
  final case class Shorter(left: Reach, right: Reach) extends Reach
  final case class Longer(left: Reach, right: Reach) extends Reach

  /** The reach of a constraint that [[Constraint.check]] has accepted, for the class `passed`. */
  def of(constraint: Constraint, passed: Int): Reach = constraint match {
    case Constraint.WithinLast(span) => if (span > 0) Span(span) else Nothing
    case Constraint.AmongLast(rows) => if (rows > 0) Rows(rows) else Nothing
    case Constraint.Passes(filter) => if ((passed & (1 << filter)) != 0) All else Nothing
    case Constraint.And(left, right) =>
      (of(left, passed), of(right, passed)) match {
        case (Nothing, _) | (_, Nothing) => Nothing
        case (All, other) => other
        case (other, All) => other
        case (a, b) => Shorter(a, b)
      }
    case Constraint.Or(left, right) =>
      (of(left, passed), of(right, passed)) match {
        case (All, _) | (_, All) => All
        case (Nothing, other) => other
        case (other, Nothing) => other
        case (a, b) => Longer(a, b)
      }
    case Constraint.Not(inner) =>
      of(inner, passed) match {
        case All => Nothing
        case Nothing => All
        case window => throw new IllegalArgumentException(s"a window under NOT: $window")
      }
  }
}
