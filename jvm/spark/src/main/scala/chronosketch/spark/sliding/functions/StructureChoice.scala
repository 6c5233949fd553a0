package chronosketch.spark.sliding.functions

import chronosketch.sliding.certified._
import chronosketch.sliding.histogram.{
  ExponentialHistogram,
  FrameNumber,
  NumberStructure,
  Panes,
  VarianceHistogram,
  NumberExpirationList => NumberList
}
import chronosketch.sliding.sampled._
import chronosketch.spark.sliding.frames.{FrameBounds, RowsBound, Unbounded}
import chronosketch.spark.sliding.structures._

/** The structure that the settings ask for.
  *
  * @param name           one of [[StructureChoice.Names]]
  * @param exactFrameRows frames of so many rows are answered exactly
  * @param epsilon        the relative error allowed of counts, sums, means and spreads, where a structure is named that has one
  * @param delta          the probability that an answer of a sample is wrong by more than ε
  * @param seed           where the chance of samples begins
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

  /** How quantiles are answered of frames that are too large to be kept; none where all frames are answered exactly. */
  def beyond(epsilon: Double, frame: FrameBounds, isBounds: Boolean): Option[BeyondExact] = {
    val isNamed = refusedForQuantiles(epsilon, frame, isBounds).isEmpty
    val sample = samples.get(name).filter(_ => isNamed)
    val summary = summaries.get(name).filter(_ => isNamed)
    // of 2/ε elements a summary keeps all
    val least = math.ceil(2 / epsilon).toLong
    val exactRows =
      if (sample.nonEmpty) math.max(least, FrameSampleSize.of(epsilon / 2, delta))
      else if (summary.nonEmpty) least
      else math.max(exactFrameRows, least)
    val rows = rowsOf(frame)
    // a cost model is read only where a frame may be so large
    Option.when(epsilon > 0 && name != BlockSort && rows.forall(_ > exactRows)) {
      val costs = new FramePredictions(rows.getOrElse(exactRows + 1), epsilon, delta)
      sample match {
        case Some(s) => Sampled(epsilon, delta, seed, exactRows, s, costs.text(s.name, None))
        case None => certified(epsilon, exactRows, summary, frame.lower == Unbounded, costs)
      }
    }
  }

  /** By the structure that is named; else, where nothing must be forgotten, by the one for such frames; else by the cheapest. */
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

  /** How many rows a frame has, where that is known. */
  private def rowsOf(frame: FrameBounds): Option[Long] = frame match {
    case FrameBounds(RowsBound(lower), RowsBound(upper)) => Some(upper.toLong - lower + 1)
    case _ => None
  }

  /** A statistic as the structure that is named answers it; itself where that structure does not. */
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
        case Some(asked) if structure.answers(asked) => None
        case _ =>
          val served = FrameNumber.all.filter(structure.answers).map(_.name).mkString(", ")
          Some(s"it only answers $served of FLOAT and DOUBLE")
      }
  }

  /** Why the structure that is named does not answer quantiles of these frames. */
  def refusedForQuantiles(epsilon: Double, frame: FrameBounds, isBounds: Boolean): Option[String] = {
    val why =
      if (name == Auto || name == BlockSort) None
      else if (name == BiasedReservoir.name) Some("it prefers newer rows")
      else if (!ofQuantiles(name)) Some("it can't answer quantiles")
      else if (epsilon == 0) Some("epsilon is 0")
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

  /** Why the structure that is named does not answer a statistic of Spark's. */
  def refusedFor(statistic: FrameStatistic): Option[String] =
    if (name == Auto || ofNumbers(statistic) != statistic) None
    else if (isExactQuantile(statistic.kind) && ofQuantiles(name))
      Some(named("it only answers approx_quantile"))
    else refusedForNumbers(statistic).map(named).orElse(refusedFor(statistic.kind))

  /** Why the structure that is named is not this one. */
  def refusedFor(kind: StructureKind[_ <: FrameStatistic]): Option[String] = {
    val isIt = kind match {
      case exact if isExactQuantile(exact) => name == BlockSort
      case UnionStructure => name == TwoStacks
      case DabaUnionStructure => name == Daba
      case _ => false
    }
    val why =
      if (name == Auto || isIt) None
      else if (numbers.contains(name)) Some("it only answers counts, sums, means and variances")
      else if (name == BlockSort || ofQuantiles(name)) Some("it only answers quantiles")
      else Some("it only merges stored sketches")
    why.map(named)
  }

  private def isExactQuantile(kind: StructureKind[_ <: FrameStatistic]): Boolean =
    kind == QuantileStructure || kind == PercentileStructure

  private def named(why: String): String = s"$name: $why"
}

object StructureChoice {
  val Auto = "auto"
  private val BlockSort = "block_sort"
  private val TwoStacks = "two_stacks"
  private val Daba = "daba"

  private val summaries: Map[String, FrameStructure] =
    Seq(GrowingFrame, ArasuManku, ArasuMankuVariable, Cmqs, ExpirationList).map(s => s.name -> s).toMap

  /** Those that `auto` chooses from where elements leave: the first, where the cost model knows none. */
  private val sliding: Seq[FrameStructure] = Seq(ArasuManku, ArasuMankuVariable, Cmqs)

  private val samples: Map[String, SampleStructure[UniformSample]] =
    Seq(Bernoulli, Priority, BoundedPriority).map(s => s.name -> s).toMap

  private val numbers: Map[String, NumberStructure] =
    Seq(ExponentialHistogram, NumberList, Panes, VarianceHistogram).map(s => s.name -> s).toMap

  private val ofQuantiles: Set[String] = summaries.keySet ++ samples.keySet + BiasedReservoir.name

  /** A larger sample is no use. */
  private val MostSampled = 1L << 24

  /** What the setting may be. */
  val Names: Seq[String] =
    Seq(Auto, BlockSort) ++ (ofQuantiles ++ numbers.keySet).toSeq.sorted ++ Seq(TwoStacks, Daba)
}
