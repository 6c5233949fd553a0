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
