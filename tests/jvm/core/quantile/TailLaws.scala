package chronosketch.quantile

import chronosketch.summary.{ExactBag, InsertingLaws, Operation}

/** The laws of the quantile sketches of one tail. */
final class TailLaws(family: QuantileFamily) extends InsertingLaws(family) {
  protected def violations(summary: GreenwaldKhanna, seen: Operation.Seen): Seq[String] =
    TailCertificate.violations(summary, ExactBag.of(seen))

  protected def knowsAll(summary: GreenwaldKhanna): Boolean = summary.profile.isExact
}

object TailLaws {
  val all: Seq[TailLaws] = QuantileFamily.tails.map(new TailLaws(_))
}
