package chronosketch.advisor

import chronosketch.sliding.certified.{ArasuManku, ArasuMankuVariable, Cmqs, FrameStructure}
import chronosketch.sliding.certified
import chronosketch.sliding.histogram
import chronosketch.sliding.histogram.{
  ExponentialHistogram,
  FrameNumber,
  NumberStructure,
  Panes,
  VarianceHistogram
}
import chronosketch.sliding.sampled.{
  Bernoulli,
  BiasedReservoir,
  BoundedPriority,
  FrameSample,
  Priority,
  SampleStructure
}

/** The approaches to each aggregate over sliding frames that the advisor compares. */
object Approaches {
  private val summaries: Seq[FrameStructure] =
    Seq(certified.ExpirationList, Cmqs, ArasuManku, ArasuMankuVariable)
  private val samples: Seq[SampleStructure[FrameSample]] =
    Seq(Bernoulli, Priority, BoundedPriority, BiasedReservoir)
  private val numbers: Seq[NumberStructure] =
    Seq(histogram.NumberExpirationList, Panes, ExponentialHistogram, VarianceHistogram)

  private val aggregates: Seq[FrameNumber] = Seq(FrameNumber.Count, FrameNumber.Sum, FrameNumber.Variance)

  /** All pairs of an aggregate and an approach to it. */
  val all: Seq[(String, String)] =
    (summaries.map(_.name) ++ samples.map(_.name) :+ "block_sort").map("quantile" -> _) ++
      (for (aggregate <- aggregates; structure <- numbers if answers(structure, aggregate))
        yield aggregate.name -> structure.name) ++
      Seq("sum" -> "two_stack", "variance" -> "two_stack")

  /** Whether to measure a structure for an aggregate. A variance histogram is measured for variances only. */
  private def answers(structure: NumberStructure, aggregate: FrameNumber): Boolean =
    structure.answers(aggregate) && (structure != VarianceHistogram || aggregate == FrameNumber.Variance)

  /** Whether an approach has no ε. The exact ones require frames of one length that slide by a constant number of elements. */
  def isExact(approach: String): Boolean =
    Set("expiration_list", "panes", "block_sort", "two_stack").contains(approach)

  /** The workload of a cell. The seed must differ from that of the elements: else a sample would depend on their values. */
  def workload(cell: Cell, latencies: Latencies, seed: Long): CellWorkload = {
    val retention = cell.retention.toLong
    (cell.aggregate, cell.approach) match {
      case ("quantile", "block_sort") => new BatchedFrames.Sorted(cell, latencies)
      case ("variance", "two_stack") => new BatchedFrames.Variances(cell, latencies)
      case ("sum", "two_stack") => new BatchedFrames.Sums(cell, latencies)
      case ("quantile", name) =>
        summaries.find(_.name == name) match {
          case Some(structure) =>
            new SummarisedFrames(cell, latencies, structure.of(retention, cell.epsilon))
          case None =>
            val structure = samples.find(_.name == name).get
            new SampledFrames(cell, latencies, structure.of(retention, cell.epsilon, Cell.Delta, seed))
        }
      case (aggregate, name) =>
        val number = aggregates.find(_.name == aggregate).get
        val structure = numbers.find(_.name == name).get
        new NumberFrames(
          cell,
          latencies,
          number,
          structure.of(number, retention, cell.slide.toLong, cell.epsilon)
        )
    }
  }
}
