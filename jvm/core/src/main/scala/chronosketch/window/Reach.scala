package chronosketch.window

/** Of the rows that pass the same filters, how far back do those go that a constraint means?
  *
  * Every window is all that came after some position. So of two the one lies inside the other, OR is the longer and AND the
  * shorter; and once it is known which filters a row passes, no filter is left: the constraint is one window, all, or nothing.
  */
private[chronosketch] sealed trait Reach {

  /** Whether it depends on how many rows there are. */
  def countsRows: Boolean = this match {
    case Reach.Rows(_) => true
    case Reach.Shorter(left, right) => left.countsRows || right.countsRows
    case Reach.Longer(left, right) => left.countsRows || right.countsRows
    case _ => false
  }

  /** The latest time that is too early, back from another; none where no time is. Of what counts no rows. */
  def tooEarly(from: Long): Option[Long] = this match {
    case Reach.All => None
    case Reach.Nothing => Some(Long.MaxValue)
    case Reach.Span(span) =>
      if (Windowed.reachesAll(from, span)) None else Some(Windowed.back(from, span))
    case Reach.Shorter(left, right) => (left.tooEarly(from) ++ right.tooEarly(from)).maxOption
    case Reach.Longer(left, right) =>
      for (a <- left.tooEarly(from); b <- right.tooEarly(from)) yield math.min(a, b)
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

  /** Of a constraint that [[Constraint.check]] has passed, for rows of the class that `passed` tells. */
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
