package chronosketch.qlove

/** Rules that decide which panes keep values for few-k if no budget was given. A stored pane names its rule.
  *
  * Source     `Sparse`: Lim et al. 2019, §4.3; `Tenth` is not in the paper (docs/algorithms.md, The mean, or few-k)
  */
private[chronosketch] sealed abstract class TailRule(val id: Int) {

  /** The rule of a pane whose parts have different rules: the older one. */
  def orOlder(that: TailRule): TailRule = if (id <= that.id) this else that
}

private[chronosketch] object TailRule {

  /** Panes with few elements above their own quantile keep half of the values that would make the window's answer exact. */
  case object Sparse extends TailRule(0)

  /** Also panes for which less than a tenth of their elements suffices. */
  case object Tenth extends TailRule(1)

  /** The rule of new panes. */
  val Newest: TailRule = Tenth

  val all: Vector[TailRule] = Vector(Sparse, Tenth)
}
