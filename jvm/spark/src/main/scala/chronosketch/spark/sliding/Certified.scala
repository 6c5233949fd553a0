package chronosketch.spark.sliding

import chronosketch.sliding.certified.{ArasuManku, ArasuMankuVariable, Cmqs, FrameStructure, GrowingFrame}

/** How quantiles are answered of frames that are too large to be kept.
  *
  * @param epsilon   the rank error allowed
  * @param exactRows frames of so many rows are answered exactly
  * @param structure what summarises those of more
  */
final case class Certified(epsilon: Double, exactRows: Long, structure: FrameStructure) {
  def text: String = s"${structure.text} beyond $exactRows rows"
}

object Certified {
  val Auto = "auto"
  val Daba = "daba"
  private val BlockSort = "block_sort"
  private val TwoStacks = "two_stacks"
  private val structures: Map[String, FrameStructure] =
    Seq(GrowingFrame, ArasuManku, ArasuMankuVariable, Cmqs).map(s => s.name -> s).toMap

  /** What the setting may be. */
  val Names: Seq[String] = Seq(Auto, BlockSort) ++ structures.keys.toSeq.sorted ++ Seq(TwoStacks, Daba)

  /** None where all frames are exact. */
  def of(epsilon: Double, frame: FrameBounds): Option[Certified] = {
    val name = SlidingConf.structure
    val mayBeAsked = structures.contains(name) && refused(name, epsilon, frame).isEmpty
    // of 2/ε elements a summary keeps all
    val least = math.ceil(2 / epsilon).toLong
    val exactRows = if (mayBeAsked) least else math.max(SlidingConf.exactFrameRows, least)
    val isLarge = frame match {
      case FrameBounds(RowsAway(lower), RowsAway(upper)) => upper.toLong - lower + 1 > exactRows
      case _ => true
    }
    Option.when(epsilon > 0 && isLarge && name != BlockSort)(
      // frames that only grow have no need to forget
      Certified(
        epsilon,
        exactRows,
        if (mayBeAsked) structures(name) else if (frame.lower == PartitionEnd) GrowingFrame else ArasuManku
      )
    )
  }

  /** Why the structure of the setting does not answer quantiles. */
  def refused(name: String, epsilon: Double, frame: FrameBounds): Option[String] =
    if (name == Auto || name == BlockSort) None
    else if (!structures.contains(name)) Some("it answers no quantiles")
    else if (epsilon == 0) Some("epsilon is 0")
    else if (structures(name) == GrowingFrame && frame.lower != PartitionEnd)
      Some("its frame does not only grow")
    else None

  /** Why it does not what another function asks. */
  def refused(name: String, kind: SlidingKind): Option[String] =
    if (name == Auto || (name == BlockSort && kind.text == SlidingKind.Quantiles.text)) None
    else if (name == TwoStacks && kind == SlidingKind.Unions) None
    else if (name == Daba && kind == SlidingKind.DabaUnions) None
    else if (name == BlockSort || structures.contains(name)) Some("it answers quantiles alone")
    else Some("it joins stored sketches alone")
}
