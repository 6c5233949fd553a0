package chronosketch.qlove

/** Which panes keep values for few-k where no budget was given? A stored pane says by which rule it was made.
  *
  * Source     the first: Lim et al. 2019, §4.3; departs: the second (docs/algorithms.md, The mean, or few-k)
  */
private[chronosketch] sealed abstract class TailRule(val id: Int) {

  /** What parts of one pane follow that came by different rules: the older. */
  def orOlder(that: TailRule): TailRule = if (id <= that.id) this else that
}

private[chronosketch] object TailRule {

  /** Those with few elements above their own quantile: half of what makes the window's answer exact. */
  case object Sparse extends TailRule(0)

  /** Those too, and those where less than a tenth of their elements is enough. */
  case object Tenth extends TailRule(1)

  /** The one that new panes follow. */
  val Newest: TailRule = Tenth

  val all: Vector[TailRule] = Vector(Sparse, Tenth)
}
