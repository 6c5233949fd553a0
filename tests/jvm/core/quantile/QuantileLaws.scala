package chronosketch.quantile

import chronosketch.summary.{Certificate, ExactBag, InsertingLaws, Operation}

object QuantileLaws extends InsertingLaws(QuantileSketch) {
  protected def violations(summary: GreenwaldKhanna, seen: Operation.Seen): Seq[String] =
    Certificate.violations(summary, ExactBag.of(seen), merged = true)

  protected def knowsAll(summary: GreenwaldKhanna): Boolean = summary.profile.isExact
}
