package chronosketch.ddsketch

import chronosketch.summary.{Certificate, ExactBag, InsertingLaws, Operation}

object DDSketchLaws extends InsertingLaws(DDSketches) {
  protected def violations(summary: DDSketch, seen: Operation.Seen): Seq[String] = {
    val bag = ExactBag.of(seen)
    Certificate.unbounded(summary.profile, bag) ++ RelativeError.violations(summary, bag)
  }

  /** Always: counts are added, so the result never depends on the order. */
  protected def knowsAll(summary: DDSketch): Boolean = true
}
