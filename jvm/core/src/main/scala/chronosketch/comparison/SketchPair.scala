package chronosketch.comparison

import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.rank.RankProfile
import chronosketch.summary.Bounded

/** The rank profiles of two summaries, with keys of one type, for questions about both.
  *
  * Guarantee  the keys are cast as a merge casts them, to the type that holds the values of both exactly ([[Domain.coerced]]); other
  *            types are refused. The families may differ
  * Cost       O(1) if the types are equal; otherwise one pass over each profile
  *
  * @param domain         the type of all keys
  * @param left           bounds on the ranks of the first summary
  * @param right          bounds on the ranks of the second one
  * @param leftEstimates  the ranks that the first summary answers with
  * @param rightEstimates the ranks that the second one answers with
  */
final class SketchPair private (
    val domain: Domain,
    val left: RankProfile,
    val right: RankProfile,
    val leftEstimates: RankProfile,
    val rightEstimates: RankProfile,
    leftCast: Option[Cast],
    rightCast: Option[Cast]
) {

  /** The key in the type of the pair that a key of the first summary becomes. */
  private[comparison] def leftKey(key: Long): Long = leftCast.fold(key)(_(key))

  /** The same for a key of the second summary. */
  private[comparison] def rightKey(key: Long): Long = rightCast.fold(key)(_(key))

  /** Whether the values are floating-point numbers and one of them may be NaN. */
  def mayHaveNaN: Boolean =
    domain.isFloating && (left.maximum == DoubleKeys.NaN || right.maximum == DoubleKeys.NaN)
}

object SketchPair {

  /** The pair of two summaries; None if one of them is empty, or answers as if it were: a window that may have values, and whose sample
    * has none. Refuses types that no type holds exactly.
    */
  def of(left: Bounded, right: Bounded): Option[SketchPair] =
    if (left.estimates.isEmpty || right.estimates.isEmpty) None
    else {
      val domain = left.domain.coerced(right.domain).getOrElse(
        left.domain.widenOrRefuse(right.domain, _ => None, (from, to) => Cast.of(from, to).nonEmpty)
      )
      def casting(summary: Bounded): Option[Cast] = Cast.of(summary.domain, domain).filterNot(_.keepsKeys)
      val (toLeft, toRight) = (casting(left), casting(right))
      def in(cast: Option[Cast])(profile: RankProfile): RankProfile = cast.fold(profile)(profile.castBy)
      Some(new SketchPair(
        domain,
        in(toLeft)(left.profile),
        in(toRight)(right.profile),
        in(toLeft)(left.estimates),
        in(toRight)(right.estimates),
        toLeft,
        toRight
      ))
    }
}

/** A number with certain bounds: low ≤ exact ≤ high and low ≤ value ≤ high. All are NaN if the exact number is undefined. */
final case class BoundedNumber(value: Double, low: Double, high: Double)

object BoundedNumber {

  /** The bounds with the value moved between them. */
  def of(value: Double, low: Double, high: Double): BoundedNumber =
    BoundedNumber(math.max(low, math.min(high, value)), low, high)
}
