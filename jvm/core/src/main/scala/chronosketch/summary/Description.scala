package chronosketch.summary

import chronosketch.domain.Domain
import chronosketch.rank.Phi

/** The properties that a summary reports to users. A property is None if the summary's family does not have it.
  *
  * @param parameters the family's parameters with their names
  * @param error      the largest rank error of an answer, as a share of the elements
  * @param confidence the probability that the error and all bounds hold; 1 if they always do
  * @param kept       the number of values in a sample
  * @param exact      whether every answer is exact
  * @param times      the type of the times
  * @param retention  how far back windows reach, in units of the times; None: to the first row
  * @param filters    the names of the filters
  * @param panes      the number of panes that have rows
  * @param trees      the number of trees and logs that hold the versions
  * @param clamped    the number of ignored deletes: those of values that were not alive
  * @param answers    how each φ that was declared beforehand is answered
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

  /** A declared φ and how it is answered; `by` is None if there are no rows. */
  final case class Answered(phi: Phi, by: Option[Way])

  /** How a φ is answered.
    *
    * @param method  the method that answers
    * @param reason  why this method was chosen
    * @param need    the rank of the φ-quantile, counted from the greatest element
    * @param reached the number of greatest elements that the stored values represent
    * @param bursty  whether the greatest values of neighbouring panes differ beyond chance; None if no greatest values are stored
    * @param bound   the largest error of the mean, with 95 % confidence, if rows are independent and identically distributed; None
    *                if it is not known
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
