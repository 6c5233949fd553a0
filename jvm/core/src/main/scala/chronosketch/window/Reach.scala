package chronosketch.window

/** How far back a constraint reaches among the rows of one class, which pass the same filters.
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
