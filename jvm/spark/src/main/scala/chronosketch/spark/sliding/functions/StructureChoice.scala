package chronosketch.spark.sliding.functions

import chronosketch.sliding.certified.{ArasuManku, ArasuMankuVariable, Cmqs, FrameStructure, GrowingFrame}
import chronosketch.spark.sliding.frames.{FrameBounds, RowsBound, Unbounded}
import chronosketch.spark.sliding.structures._

/** The structure that the settings ask for.
  *
  * @param name           one of [[StructureChoice.Names]]
  * @param exactFrameRows frames of so many rows are answered exactly
  */
final case class StructureChoice(name: String, exactFrameRows: Long) {
  import StructureChoice._

  /** Whether unions of stored sketches slide by DABA. */
  def isDaba: Boolean = name == Daba

  /** How quantiles are answered of frames that are too large to be kept; none where all frames are answered exactly. */
  def certified(epsilon: Double, frame: FrameBounds): Option[Certified] = {
    val isNamed = summaries.contains(name) && refusedForQuantiles(epsilon, frame).isEmpty
    // of 2/ε elements a summary keeps all
    val least = math.ceil(2 / epsilon).toLong
    val exactRows = if (isNamed) least else math.max(exactFrameRows, least)
    val mayBeLarge = frame match {
      case FrameBounds(RowsBound(lower), RowsBound(upper)) => upper.toLong - lower + 1 > exactRows
      case _ => true
    }
    val structure =
      if (isNamed) summaries(name)
      // of a frame that only grows nothing must be forgotten
      else if (frame.lower == Unbounded) GrowingFrame
      else ArasuManku
    Option.when(epsilon > 0 && mayBeLarge && name != BlockSort)(Certified(epsilon, exactRows, structure))
  }

  /** Why the structure that is named does not answer quantiles of these frames. */
  def refusedForQuantiles(epsilon: Double, frame: FrameBounds): Option[String] = {
    val why =
      if (name == Auto || name == BlockSort) None
      else if (!summaries.contains(name)) Some("it answers no quantiles")
      else if (epsilon == 0) Some("epsilon is 0")
      else Option.when(
        summaries(name) == GrowingFrame && frame.lower != Unbounded
      )("its frame does not only grow")
    why.map(named)
  }

  /** Why the structure that is named is not this one. */
  def refusedFor(kind: StructureKind[_ <: FrameStatistic]): Option[String] = {
    val isIt = kind match {
      case QuantileStructure | PercentileStructure => name == BlockSort
      case UnionStructure => name == TwoStacks
      case DabaUnionStructure => name == Daba
      case _ => false
    }
    val why =
      if (name == Auto || isIt) None
      else if (name == BlockSort || summaries.contains(name)) Some("it answers quantiles alone")
      else Some("it joins stored sketches alone")
    why.map(named)
  }

  private def named(why: String): String = s"$name: $why"
}

object StructureChoice {
  val Auto = "auto"
  private val BlockSort = "block_sort"
  private val TwoStacks = "two_stacks"
  private val Daba = "daba"
  private val summaries: Map[String, FrameStructure] =
    Seq(GrowingFrame, ArasuManku, ArasuMankuVariable, Cmqs).map(s => s.name -> s).toMap

  /** What the setting may be. */
  val Names: Seq[String] = Seq(Auto, BlockSort) ++ summaries.keys.toSeq.sorted ++ Seq(TwoStacks, Daba)
}
