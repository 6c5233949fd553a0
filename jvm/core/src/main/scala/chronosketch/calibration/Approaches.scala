package chronosketch.calibration

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

/** Which approaches are there to each aggregate? */
object Approaches {
  private val summaries: Seq[FrameStructure] =
    Seq(certified.ExpirationList, Cmqs, ArasuManku, ArasuMankuVariable)
  private val samples: Seq[SampleStructure[FrameSample]] =
    Seq(Bernoulli, Priority, BoundedPriority, BiasedReservoir)
  private val numbers: Seq[NumberStructure] =
    Seq(histogram.ExpirationList, Panes, ExponentialHistogram, VarianceHistogram)

  private val aggregates: Seq[FrameNumber] = Seq(FrameNumber.Count, FrameNumber.Sum, FrameNumber.Variance)

  /** Every aggregate with each of its approaches. */
  val all: Seq[(String, String)] =
    (summaries.map(_.name) ++ samples.map(_.name) :+ "block_sort").map("quantile" -> _) ++
      (for (asked <- aggregates; structure <- numbers if answers(structure, asked))
        yield asked.name -> structure.name) ++
      Seq("sum" -> "two_stack", "variance" -> "two_stack")

  /** A histogram of variances is none of counts. */
  private def answers(structure: NumberStructure, asked: FrameNumber): Boolean =
    structure.answers(asked) && (structure != VarianceHistogram || asked == FrameNumber.Variance)

  /** Whether it has no ε: where all frames are of one length, and move on by one. */
  def isExact(approach: String): Boolean =
    Set("expiration_list", "panes", "block_sort", "two_stack").contains(approach)

  /** What is measured of a cell. A sample's seed must be another than that of the elements, or it draws them by their values. */
  def workload(cell: Cell, latencies: Latencies, seed: Long): Workload = {
    val retention = cell.retention.toLong
    (cell.aggregate, cell.approach) match {
      case ("quantile", "block_sort") => new WholeFrames.Sorted(cell, latencies)
      case ("variance", "two_stack") => new WholeFrames.Variances(cell, latencies)
      case ("sum", "two_stack") => new WholeFrames.Sums(cell, latencies)
      case ("quantile", name) =>
        summaries.find(_.name == name) match {
          case Some(structure) =>
            new SummarisedFrames(cell, latencies, structure.of(retention, cell.epsilon))
          case None =>
            val structure = samples.find(_.name == name).get
            new SampledFrames(cell, latencies, structure.of(retention, cell.epsilon, Cell.Delta, seed))
        }
      case (aggregate, name) =>
        val asked = aggregates.find(_.name == aggregate).get
        val structure = numbers.find(_.name == name).get
        new NumberFrames(
          cell,
          latencies,
          asked,
          structure.of(asked, retention, cell.slide.toLong, cell.epsilon)
        )
    }
  }
}
