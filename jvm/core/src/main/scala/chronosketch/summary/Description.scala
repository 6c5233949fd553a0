package chronosketch.summary

import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** What a summary tells of itself; none where its family has no such thing.
  *
  * @param parameters by name
  * @param error      share of the elements that the rank of an answer is off at most
  * @param confidence the probability that the error and all bounds hold; 1: for certain
  * @param kept       how many values a sample has
  * @param exact      whether every answer is exact
  * @param times      the type of its times
  * @param retention  how far back windows reach, in units of the times; none: to the first row
  * @param filters    the names of its filters
  * @param panes      how many panes have rows
  * @param trees      over how many trees and logs its versions are spread
  * @param clamped    deletes beyond what was alive, which were left out
  * @param answers    how each φ that was named beforehand is answered
  */
final case class Description(
    parameters: Seq[(String, Double)],
    error: Option[Double] = None,
    confidence: Option[Double] = None,
    kept: Option[Long] = None,
    exact: Option[Boolean] = None,
    times: Option[Domain] = None,
    retention: Option[Long] = None,
    filters: Option[Seq[String]] = None,
    panes: Option[Int] = None,
    trees: Option[Int] = None,
    clamped: Option[Long] = None,
    answers: Option[Seq[Description.Answered]] = None
)

object Description {

  /** A φ that was named; `by` is none where there are no rows. */
  final case class Answered(phi: Phi, by: Option[Way])

  /** How a φ is answered.
    *
    * @param method  which of several methods answers
    * @param reason  why that one
    * @param need    the rank from the top of the φ-quantile
    * @param reached for how many of the greatest elements the values kept stand
    * @param bursty  whether neighbouring panes' greatest values differ beyond chance; none where none are kept
    * @param bound   how far the mean is off at most, with 95 %, where rows are independent and alike; none where that is not known
    */
  final case class Way(
      method: String,
      reason: String,
      need: Long,
      reached: Long,
      bursty: Option[Boolean],
      bound: Option[Double]
  )
}
