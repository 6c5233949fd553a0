package chronosketch.window

import chronosketch.Refusal

/** Which rows does a question mean: those of a window, those that pass a filter, or some of both?
  *
  * Windows are [[WithinLast]] and [[AmongLast]]; [[Passes]] is a filter. Only filters may stand under NOT: what is not in a
  * window came before it, and grows for ever.
  */
sealed trait Constraint

object Constraint {

  /** Rows of (newest − span, newest], in units of the time. */
  final case class WithinLast(span: Long) extends Constraint

  /** The newest `rows` rows, whichever filters they pass. */
  final case class AmongLast(rows: Long) extends Constraint

  /** Rows that pass the filter of this number. */
  final case class Passes(filter: Int) extends Constraint
  final case class And(left: Constraint, right: Constraint) extends Constraint
  final case class Or(left: Constraint, right: Constraint) extends Constraint
  final case class Not(of: Constraint) extends Constraint

  /** Refuses windows under NOT, and more filters than there can be classes of. */
  def check(constraint: Constraint): Unit = {
    checkNegations(constraint, isNegated = false)
    val distinct = filters(constraint).size
    if (distinct > Filters.Most) throw Filters.tooMany(distinct)
  }

  private def checkNegations(constraint: Constraint, isNegated: Boolean): Unit = constraint match {
    case Not(of) => checkNegations(of, isNegated = true)
    case And(left, right) => checkNegations(left, isNegated); checkNegations(right, isNegated)
    case Or(left, right) => checkNegations(left, isNegated); checkNegations(right, isNegated)
    case Passes(_) =>
    case WithinLast(_) | AmongLast(_) => if (isNegated) throw Refusal("CHRONOSKETCH_WINDOW_UNDER_NOT")
  }

  /** The numbers of the filters that it asks about. */
  def filters(constraint: Constraint): Set[Int] = constraint match {
    case Not(of) => filters(of)
    case And(left, right) => filters(left) ++ filters(right)
    case Or(left, right) => filters(left) ++ filters(right)
    case Passes(filter) => Set(filter)
    case WithinLast(_) | AmongLast(_) => Set.empty
  }
}
