package chronosketch.families

import chronosketch.Refusal
import chronosketch.history.HistorySketches
import chronosketch.moments.{MomentsSketch, MomentsSketches}
import chronosketch.quantile.{QuantileBased, QuantileFamily}
import chronosketch.sample.Sampled
import chronosketch.summary.{Bounded, Estimates, Extremes, Family, Moments, Ranked, Summary}
import chronosketch.summed.{SummedFamily, SummedSketch, SummedSketches}
import chronosketch.window.Windowed

/** Checks that a summary can answer a question. Each method returns the summary as a type that can answer it, or throws an
  * error that names the families that can.
  */
object Capabilities {

  /** Requires bounds on ranks and quantiles. */
  def requireBounded(summary: Summary): Bounded = summary match {
    case able: Bounded => able
    case other => refuse(other, having(classOf[Bounded]))
  }

  /** Requires the least and the greatest value. */
  def requireExtremes(summary: Summary): Extremes = summary match {
    case able: Extremes => able
    case other => refuse(other, having(classOf[Extremes]))
  }

  /** Requires a bound on the rank error. */
  def requireRanked(summary: Summary): Ranked = summary match {
    case able: Ranked => able
    case other => refuse(other, having(classOf[Ranked]))
  }

  /** Requires quantiles: estimates on the left, values that were inserted on the right. */
  def requireQuantiles(summary: Summary): Either[Estimates, Bounded] = summary match {
    case able: Estimates => Left(able)
    case able: Bounded => Right(able)
    case other =>
      val bounded = having(classOf[Bounded])
      refuse(other, bounded ++ having(classOf[Estimates]).diff(bounded))
  }

  /** Requires a count of elements. */
  def requireCounted(summary: Summary): Summary = {
    requireOneState(summary)
    summary
  }

  /** Requires a sample of values. */
  def requireSampled(summary: Summary): Sampled = summary match {
    case able: Sampled => able
    case other => refuse(other, having(classOf[Sampled]))
  }

  /** Requires answers for windows of the rows, not only for all rows. */
  def requireWindowed(summary: Summary): Windowed = summary match {
    case able: Windowed => able
    // not refuse: choosing a version of a history would not help, since a version has no windows either
    case other => unable(other, having(classOf[Windowed]))
  }

  /** Requires sums, means and variances. */
  def requireMoments(summary: Summary): Moments = summary match {
    case able: Moments => able
    case other =>
      requireSums(other)
      refuse(other, having(classOf[Moments]))
  }

  /** Requires all moments of the values, skewness and kurtosis among them. */
  def requireAllMoments(summary: Summary): MomentsSketch = summary match {
    case moments: MomentsSketch => moments
    case able: SummedSketch => able.moments
    case other =>
      requireSums(other)
      unable(other, Seq(MomentsSketches, SummedSketches))
  }

  /** Refuses a quantile sketch without sums: it could have been built with them. */
  private def requireSums(summary: Summary): Unit = summary.family match {
    case quantiles: QuantileFamily =>
      val sql = SummedFamily.of(quantiles).sql(summary.header.numbers)
      throw Refusal("CHRONOSKETCH_NO_SUMS", "family" -> quantiles.name, "build" -> sql)
    case _ =>
  }

  /** Requires a summary of the given family. */
  def requireFamily[S <: Summary](family: Family[S], summary: Summary): S =
    if (summary.family eq family) family.own(summary) else unable(summary, Seq(family))

  private def having(capability: Class[_ <: Summary]): Seq[Family[Summary]] =
    Families.all.filter(_.can(capability))

  private def refuse(summary: Summary, able: Seq[Family[Summary]]): Nothing = {
    requireOneState(summary)
    unable(summary, able)
  }

  /** Refuses a history: it has one state per version, so the question must name a version. */
  private def requireOneState(summary: Summary): Unit =
    if (summary.family eq HistorySketches) throw Refusal("CHRONOSKETCH_WHICH_VERSION")

  private def unable(summary: Summary, able: Seq[Family[Summary]]): Nothing = throw Refusal(
    "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
    "family" -> summary.family.name,
    "able" -> able.filterNot(isVariant(_, able)).map(_.name).mkString(", ")
  )

  /** Whether a family answers as the one without a tail or without sums does, which is among those that are able. */
  private def isVariant(family: Family[Summary], able: Seq[Family[Summary]]): Boolean = family match {
    case based: QuantileBased =>
      based.quantiles.tail.nonEmpty || (based ne based.quantiles) && able.contains(based.quantiles)
    case _ => false
  }
}
