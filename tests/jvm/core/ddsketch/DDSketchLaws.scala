package chronosketch.ddsketch

import chronosketch.summary.{Certificate, ExactBag, InsertingLaws, Operation}

object DDSketchLaws extends InsertingLaws(DDSketches) {
  protected def violations(summary: DDSketch, seen: Operation.Seen): Seq[String] = {
    val bag = ExactBag.of(seen)
    Certificate.unbounded(summary.profile, bag) ++ RelativeError.violations(summary, bag)
  }

  /** Counts add up: of the order nothing is left, though bins are wide. */
  protected def knowsAll(summary: DDSketch): Boolean = true
}
