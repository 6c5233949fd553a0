package chronosketch.families

import chronosketch.Refusal
import chronosketch.history.HistorySketches
import chronosketch.sample.Sampled
import chronosketch.summary.{Bounded, Estimates, Extremes, Family, Moments, Ranked, Summary}
import chronosketch.window.Windowed

/** Can this summary answer the question? The summary as one that can, or the refusal that names the families which do. */
object Able {

  /** To say between which ranks a value is, and between which values a quantile. */
  def bounded(summary: Summary): Bounded = summary match {
    case able: Bounded => able
    case other => refuse(other, having(classOf[Bounded]))
  }

  /** To say which are its least and its greatest value. */
  def extremes(summary: Summary): Extremes = summary match {
    case able: Extremes => able
    case other => refuse(other, having(classOf[Extremes]))
  }

  /** To say how many ranks an answer is off. */
  def ranked(summary: Summary): Ranked = summary match {
    case able: Ranked => able
    case other => refuse(other, having(classOf[Ranked]))
  }

  /** To answer quantiles: by estimates, or by values that came. */
  def quantiles(summary: Summary): Either[Estimates, Bounded] = summary match {
    case able: Estimates => Left(able)
    case able: Bounded => Right(able)
    case other =>
      val bounded = having(classOf[Bounded])
      refuse(other, bounded ++ having(classOf[Estimates]).diff(bounded))
  }

  /** To say how many elements it has. */
  def counted(summary: Summary): Summary = {
    requireOneState(summary)
    summary
  }

  /** To show its values, one by one. */
  def sampled(summary: Summary): Sampled = summary match {
    case able: Sampled => able
    case other => refuse(other, having(classOf[Sampled]))
  }

  /** To tell of any window, and not of the rows as a whole alone. */
  def windowed(summary: Summary): Windowed = summary match {
    case able: Windowed => able
    // no version of a history can, either
    case other => unable(other, having(classOf[Windowed]))
  }

  /** To say what its values add up to, and how they spread. */
  def moments(summary: Summary): Moments = summary match {
    case able: Moments => able
    case other => refuse(other, having(classOf[Moments]))
  }

  /** To answer what one family alone does. */
  def only[S <: Summary](family: Family[S], summary: Summary): S =
    if (summary.family eq family) family.own(summary) else unable(summary, Seq(family))

  private def having(capability: Class[_ <: Summary]): Seq[Family[Summary]] =
    Families.all.filter(_.can(capability))

  private def refuse(summary: Summary, able: Seq[Family[Summary]]): Nothing = {
    requireOneState(summary)
    unable(summary, able)
  }

  /** A history has a state for each of its versions, and answers of none in particular. */
  private def requireOneState(summary: Summary): Unit =
    if (summary.family eq HistorySketches) throw Refusal("CHRONOSKETCH_WHICH_VERSION")

  private def unable(summary: Summary, able: Seq[Family[Summary]]): Nothing = throw Refusal(
    "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
    "family" -> summary.family.name,
    "able" -> able.map(_.name).mkString(", ")
  )
}
