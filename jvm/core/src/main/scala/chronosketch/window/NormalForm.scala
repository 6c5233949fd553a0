package chronosketch.window

import scala.collection.immutable.BitSet

/** The disjunctive normal form of a constraint.
  *
  * Guarantee  selects the same rows; constraints that are equal by distribution and absorption have the same normal form
  * Cost       proportional to the clauses that remain: a clause that another one covers is removed at every step
  * Units      spans in units of the time
  * Source     Xu, Lin, Zhou, 2004, §4.2: R = A ∨ B ∨ C
  *
  * `windows` is A, `filters` is B, `mixed` is C. The form is for people to read: queries count rows class by class instead
  * ([[Reach]]).
  */
final case class NormalForm(
    windows: Vector[NormalForm.Clause],
    filters: Vector[NormalForm.Clause],
    mixed: Vector[NormalForm.Clause]
) {
  private def clauses: Vector[NormalForm.Clause] = windows ++ filters ++ mixed

  /** The constraint as a condition, with the caller's text for filters and spans. */
  def text(filter: Int => String, span: Long => String): String =
    if (clauses.isEmpty) "FALSE" else clauses.map(_.text(filter, span)).mkString(" OR ")

  def constraint: Option[Constraint] = clauses.map(_.constraint).reduceOption(Constraint.Or(_, _))
}

object NormalForm {

  /** A conjunction: within the last `span`, among the last `rows`, passing some filters and failing others. */
  final case class Clause(span: Option[Long], rows: Option[Long], passed: BitSet, failed: BitSet) {
    private[NormalForm] def isWindow: Boolean = span.nonEmpty || rows.nonEmpty
    private[NormalForm] def isFilter: Boolean = passed.nonEmpty || failed.nonEmpty
    private[NormalForm] def isPossible: Boolean =
      (passed & failed).isEmpty && span.forall(_ > 0) && rows.forall(_ > 0)

    private[NormalForm] def and(that: Clause): Clause = Clause(
      least(span, that.span),
      least(rows, that.rows),
      passed | that.passed,
      failed | that.failed
    )

    /** Whether this clause selects all rows that `that` selects. */
    private[NormalForm] def covers(that: Clause): Boolean =
      span.forall(s => that.span.exists(_ <= s)) && rows.forall(r => that.rows.exists(_ <= r)) &&
        passed.subsetOf(that.passed) && failed.subsetOf(that.failed)

    def text(filter: Int => String, spanText: Long => String): String =
      (span.map(s => s"within_last(${spanText(s)})").toSeq ++ rows.map(r => s"among_last($r)") ++
        passed.toSeq.map(filter) ++ failed.toSeq.map(f => s"NOT ${filter(f)}")).mkString(" AND ")

    private[NormalForm] def constraint: Constraint =
      (span.map(Constraint.WithinLast(_)).toSeq ++ rows.map(Constraint.AmongLast(_)) ++
        passed.toSeq.map(Constraint.Passes(_)) ++
        failed.toSeq.map(f => Constraint.Not(Constraint.Passes(f)))).reduce(Constraint.And(_, _))

    private[NormalForm] def order: (Long, Long, String) =
      (span.getOrElse(Long.MaxValue), rows.getOrElse(Long.MaxValue), s"$passed $failed")
  }

  private def least(a: Option[Long], b: Option[Long]): Option[Long] = (a ++ b).minOption

  def of(constraint: Constraint): NormalForm = {
    Constraint.check(constraint)
    val all = clauses(constraint, isNegated = false).sortBy(_.order)
    val (windows, others) = all.partition(!_.isFilter)
    val (filters, mixed) = others.partition(!_.isWindow)
    NormalForm(windows, filters, mixed)
  }

  private def clauses(constraint: Constraint, isNegated: Boolean): Vector[Clause] = {
    val nothing = Clause(None, None, BitSet.empty, BitSet.empty)
    constraint match {
      case Constraint.WithinLast(span) => absorb(Vector(nothing.copy(span = Some(span))))
      case Constraint.AmongLast(rows) => absorb(Vector(nothing.copy(rows = Some(rows))))
      case Constraint.Passes(filter) =>
        Vector(if (isNegated) nothing.copy(failed = BitSet(filter))
        else nothing.copy(passed = BitSet(filter)))
      case Constraint.Not(inner) => clauses(inner, !isNegated)
      case Constraint.And(left, right) => pair(left, right, isNegated, isProduct = !isNegated)
      case Constraint.Or(left, right) => pair(left, right, isNegated, isProduct = isNegated)
    }
  }

  private def pair(
      left: Constraint,
      right: Constraint,
      isNegated: Boolean,
      isProduct: Boolean
  ): Vector[Clause] = {
    val (a, b) = (clauses(left, isNegated), clauses(right, isNegated))
    absorb(if (isProduct) for (x <- a; y <- b) yield x.and(y) else a ++ b)
  }

  private def absorb(all: Vector[Clause]): Vector[Clause] = {
    val possible = all.filter(_.isPossible).distinct
    possible.filterNot(c => possible.exists(other => other != c && other.covers(c)))
  }
}
