package chronosketch.summed

import chronosketch.moments.MomentsLaws
import chronosketch.quantile.{QuantileLaws, TailLaws}
import chronosketch.summary.{InsertingLaws, LawsOf, Operation, Summary}

/** The laws of quantile sketches with sums: those of the quantile sketch and those of the sums, and that both count alike. */
final class SummedLaws(family: SummedFamily) extends InsertingLaws(family) {
  private val ofQuantiles: LawsOf[_ <: Summary] =
    if (family.quantiles.tail.isEmpty) QuantileLaws else new TailLaws(family.quantiles)

  protected def violations(summary: SummedSketch, seen: Operation.Seen): Seq[String] =
    ofQuantiles.claims(summary.quantileSketch, seen) ++ MomentsLaws.claims(summary.moments, seen)

  protected def knowsAll(summary: SummedSketch): Boolean =
    ofQuantiles.isExact(summary.quantileSketch) && MomentsLaws.isExact(summary.moments)
}

object SummedLaws {
  val all: Seq[SummedLaws] = SummedFamily.all.map(new SummedLaws(_))
}
