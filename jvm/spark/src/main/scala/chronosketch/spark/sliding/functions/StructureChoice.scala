package chronosketch.spark.sliding.functions

import chronosketch.sliding.certified._
import chronosketch.sliding.histogram.{
  ExponentialHistogram,
  FrameNumber,
  NumberExpirationList => NumberList,
  NumberStructure,
  Panes,
  VarianceHistogram
}
import chronosketch.sliding.sampled._
import chronosketch.spark.advisor.{AdviceConf, CostModel, FrameCost, FrameCosts}
import chronosketch.spark.sliding.frames.{FrameBounds, RowsBound, Unbounded}
import chronosketch.spark.sliding.structures._

/** Chooses structures as the settings say.
  *
  * @param name           one of [[StructureChoice.Names]]
  * @param exactFrameRows frames of up to this many rows are answered exactly
  * @param epsilon        the relative error allowed for counts, sums, means and variances, if the named structure has an error
  * @param delta          the probability that an answer from a sample has an error above ε
  * @param seed           the seed of the random numbers of samples
  */
final case class StructureChoice(
    name: String,
    exactFrameRows: Long,
    epsilon: Double,
    delta: Double,
    seed: Long
) {
  import StructureChoice._

  /** Whether unions of stored sketches slide by DABA. */
  def isDaba: Boolean = name == Daba

  /** The approximation for quantiles of frames that are too large to be kept. None if all frames are answered exactly, as those are
    * whose error has to fall towards a tail: no structure promises that.
    */
  def approximation(
      epsilon: Double,
      hasTail: Boolean,
      frame: FrameBounds,
      isBounds: Boolean
  ): Option[Approximation] = {
    val isNamed = refusedForQuantiles(epsilon, hasTail, frame, isBounds).isEmpty
    val sample = samples.get(name).filter(_ => isNamed)
    val summary = summaries.get(name).filter(_ => isNamed)
    // a summary of up to 2/ε elements keeps them all
    val least = math.ceil(2 / epsilon).toLong
    val exactRows =
      if (sample.nonEmpty) math.max(least, FrameSampleSize.of(epsilon / 2, delta))
      else if (summary.nonEmpty) least
      else math.max(exactFrameRows, least)
    val rows = rowsOf(frame)
    // the cost model is only read if a frame may be this large
    Option.when(epsilon > 0 && !hasTail && name != BlockSort && rows.forall(_ > exactRows)) {
      val costs = new FramePredictions(rows.getOrElse(exactRows + 1), epsilon, delta)
      sample match {
        case Some(s) => Sampled(epsilon, delta, seed, exactRows, s, costs.text(s.name, None))
        case None => certified(epsilon, exactRows, summary, frame.lower == Unbounded, costs)
      }
    }
  }

  /** Uses the named structure if there is one, the structure for growing frames if no row leaves, and otherwise the cheapest. */
  private def certified(
      epsilon: Double,
      exactRows: Long,
      named: Option[FrameStructure],
      isGrowing: Boolean,
      costs: FramePredictions
  ): Certified = named match {
    case Some(structure) => Certified(epsilon, exactRows, structure, costs.text(structure.name, None))
    case None if isGrowing => Certified(epsilon, exactRows, GrowingFrame, None)
    case None =>
      val ranked = costs.ranked(sliding)
      val next = ranked(1)
      Certified(epsilon, exactRows, ranked.head, costs.text(ranked.head.name, Some(next.name -> next.text)))
  }

  /** How many rows a frame has, if it is given by rows. */
  private def rowsOf(frame: FrameBounds): Option[Long] = frame match {
    case FrameBounds(RowsBound(lower), RowsBound(upper)) => Some(upper.toLong - lower + 1)
    case _ => None
  }

  /** The statistic of the named structure, or the given statistic if that structure can't answer it. */
  def ofNumbers(statistic: FrameStatistic): FrameStatistic = numbers.get(name) match {
    case Some(structure) if refusedForNumbers(statistic).isEmpty =>
      FrameNumberStatistic(structure, epsilon, statistic)
    case _ => statistic
  }

  private def refusedForNumbers(statistic: FrameStatistic): Option[String] = numbers.get(name).flatMap {
    structure =>
      FrameNumberStatistic.of(statistic) match {
        case _ if structure eq Panes => Some("frames move by one row, so each pane would have one row")
        case Some(FrameNumber.Mean) if structure eq VarianceHistogram => Some("its means have no error bound")
        case Some(number) if structure.answers(number) => None
        case _ =>
          val served = FrameNumber.all.filter(structure.answers).map(_.name).mkString(", ")
          Some(s"it only answers $served of FLOAT and DOUBLE")
      }
  }

  /** Why the named structure does not answer quantiles of these frames. */
  def refusedForQuantiles(
      epsilon: Double,
      hasTail: Boolean,
      frame: FrameBounds,
      isBounds: Boolean
  ): Option[String] = {
    val why =
      if (name == Auto || name == BlockSort) None
      else if (name == BiasedReservoir.name) Some("it prefers newer rows")
      else if (!ofQuantiles(name)) Some("it can't answer quantiles")
      else if (epsilon == 0) Some("epsilon is 0")
      else if (hasTail) Some("its error does not fall towards a tail")
      else if (samples.contains(name)) refusedForSamples(epsilon, isBounds)
      else Option.when(
        summaries(name) == GrowingFrame && frame.lower != Unbounded
      )("it needs a frame that only grows")
    why.map(named)
  }

  private def refusedForSamples(epsilon: Double, isBounds: Boolean): Option[String] = {
    val rows = FrameSampleSize.of(epsilon / 2, delta)
    if (isBounds) Some("a sample can't give certain bounds")
    else Option.when(rows > MostSampled)(s"this epsilon and delta need a sample of $rows rows")
  }

  /** Why the named structure does not answer a statistic of a Spark function. */
  def refusedFor(statistic: FrameStatistic): Option[String] =
    if (name == Auto || ofNumbers(statistic) != statistic) None
    else if (isExactQuantile(statistic.structure) && ofQuantiles(name))
      Some(named("it only answers approx_quantile"))
    else refusedForNumbers(statistic).map(named).orElse(refusedFor(statistic.structure))

  /** Why the named structure is not used instead of this one. None if it is this one. */
  def refusedFor(structure: Structure[_ <: FrameStatistic]): Option[String] = {
    val isNamed = structure match {
      case exact if isExactQuantile(exact) => name == BlockSort
      case UnionStructure => name == TwoStacks
      case DabaUnionStructure => name == Daba
      case _ => false
    }
    val why =
      if (name == Auto || isNamed) None
      else if (numbers.contains(name)) Some("it only answers counts, sums, means and variances")
      else if (name == BlockSort || ofQuantiles(name)) Some("it only answers quantiles")
      else Some("it only merges stored sketches")
    why.map(named)
  }

  private def isExactQuantile(structure: Structure[_ <: FrameStatistic]): Boolean =
    structure == QuantileStructure || structure == PercentileStructure

  private def named(why: String): String = s"$name: $why"
}

object StructureChoice {
  val Auto = "auto"
  private val BlockSort = "block_sort"
  private val TwoStacks = "two_stacks"
  private val Daba = "daba"

  private val summaries: Map[String, FrameStructure] =
    Seq(GrowingFrame, ArasuManku, ArasuMankuVariable, Cmqs, ExpirationList).map(s => s.name -> s).toMap

  /** The structures that `auto` chooses from if elements leave. It takes the first if the cost model knows none of them. */
  private val sliding: Seq[FrameStructure] = Seq(ArasuManku, ArasuMankuVariable, Cmqs)

  private val samples: Map[String, SampleStructure[UniformSample]] =
    Seq(Bernoulli, Priority, BoundedPriority).map(s => s.name -> s).toMap

  private val numbers: Map[String, NumberStructure] =
    Seq(ExponentialHistogram, NumberList, Panes, VarianceHistogram).map(s => s.name -> s).toMap

  private val ofQuantiles: Set[String] = summaries.keySet ++ samples.keySet + BiasedReservoir.name

  /** A larger sample isn't useful. */
  private val MostSampled = 1L << 24

  /** The values of the setting. */
  val Names: Seq[String] =
    Seq(Auto, BlockSort) ++ (ofQuantiles ++ numbers.keySet).toSeq.sorted ++ Seq(TwoStacks, Daba)
}

/** Predicts the cost of structures for frames of a given length, by the session's cost model. */
private final class FramePredictions(rows: Long, epsilon: Double, delta: Double) {
  private lazy val model: CostModel = AdviceConf.model

  private def cost(structure: String): Option[FrameCost] =
    FrameCosts.of(structure, rows, epsilon, delta, model)

  /** Sorts structures by time per row, fastest first. Structures without a prediction come last, in the given order. */
  def ranked(structures: Seq[FrameStructure]): Seq[FrameStructure] =
    structures.sortBy(s => cost(s.name).fold(Double.PositiveInfinity)(_.nanos))

  /** The predicted cost of a structure, for EXPLAIN.
    *
    * @param next the name and the text of the second-best structure, to compare with
    */
  def text(structure: String, next: Option[(String, String)]): Option[String] = cost(structure).map { cost =>
    val hint = if (cost.isExtrapolated) ", estimated from the nearest measurement" else ""
    val other = next.flatMap { case (name, text) =>
      this.cost(name).map(c => s"; next: $text, ${FramePredictions.nanos(c)}")
    }
    s"predicted ${FramePredictions.nanos(cost)} and ${FramePredictions.bytes(cost)}$hint${other.getOrElse("")}"
  }
}

private object FramePredictions {
  private def nanos(cost: FrameCost): String = s"${math.round(cost.nanos)} ns a row"
  private def bytes(cost: FrameCost): String = s"${math.max(1L, math.round(cost.bytes / 1024))} KiB"
}
