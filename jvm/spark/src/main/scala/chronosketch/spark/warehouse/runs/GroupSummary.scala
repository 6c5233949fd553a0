package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.rank.RankProfile
import chronosketch.spark.warehouse.manifest._
import chronosketch.summary.Envelope
import chronosketch.warehouse.{DamagedWarehouse, KnownRanks, RunSamples}

/** The summary of one group in a run or a live batch.
  *
  * @param firstRow how many rows the groups before it have. In a run its least value is at this row, and its other values follow
  * @param rows     the number of its rows
  * @param sketch   a quantile sketch; that of a run has exact ranks
  */
private[warehouse] final case class GroupSummary(
    by: UnsafeRow,
    firstRow: Long,
    rows: Long,
    sketch: Array[Byte]
) {

  /** For a run: the known ranks, counted from 1 at [[firstRow]]. */
  def knownRanks: KnownRanks = KnownRanks.of(GroupSummary.decode(sketch))

  /** For a live batch: the bounds of all ranks. */
  def profile: RankProfile = GroupSummary.decode(sketch).profile
}

private[warehouse] object GroupSummary {

  /** Decodes the sketch of a group. */
  def decode(sketch: Array[Byte]): GreenwaldKhanna = Families.open(sketch) match {
    case summary: GreenwaldKhanna if summary.family eq QuantileSketch => summary
    case other => throw DamagedWarehouse(s"the summary of a group has the family ${other.family}")
  }

  /** Makes the summaries of a run from its parts, in order. A group may begin in one part and end in another. */
  private[runs] def fromParts(
      parts: Seq[WrittenPart],
      schema: StructType,
      limit: EntryLimit
  ): Seq[GroupSummary] = {
    val domain = Definition.domain(schema.last.dataType)
    val all = mutable.ArrayBuffer.empty[SampledGroup]
    parts.foreach(_.groups.foreach { group =>
      if (all.nonEmpty && all.last.by == group.by) all.last.samples.append(group.samples) else all += group
    })
    limit match {
      case MaxError(_) => sealGroups(all.toSeq, _.sketch(domain))
      case MaxBytes(most) =>
        SketchFitting.fit[GroupSummary](most, all.size, _.sketch) { epsilon =>
          sealGroups(
            all.toSeq,
            samples =>
              samples.sketch(
                domain,
                math.max(epsilon, math.min(SketchFitting.MaxEpsilon, samples.leastEpsilon))
              )
          )
        }
    }
  }

  private def sealGroups(
      groups: Seq[SampledGroup],
      sketch: RunSamples => GreenwaldKhanna
  ): Seq[GroupSummary] = {
    var row = 0L
    groups.map { group =>
      val rows = group.samples.count
      row += rows
      GroupSummary(group.by, row - rows, rows, Envelope.seal(sketch(group.samples)))
    }
  }
}

/** Finds nearly the smallest error with which the sketches of all groups fit into a number of bytes.
  *
  * Guarantee  they fit, unless the coarsest sketches do not fit either because there are too many groups
  * Cost       the sketches are made about ten times
  */
private[warehouse] object SketchFitting {

  /** The approximate bytes that a group takes in memory in addition to its sketch. */
  private val GroupBytes = 200L

  /** The greatest useful error: a greater one says nothing. */
  val MaxEpsilon = 0.5

  /** The factor by which the error grows from try to try. */
  private val EpsilonGrowth = 1.15

  // the fewest bytes that a tuple takes
  private val MinTupleBytes = 5.0

  /** Lower bound for ε of unsorted input; below it a task would hold all its rows. */
  private val MinEpsilon = 1e-6

  /** The memory that groups with these sketches take. */
  def memoryOf(sketches: Iterator[Array[Byte]]): Long = sketches.map(_.length + GroupBytes).sum

  /** Makes sketches with increasing ε until they fit, and returns the first that do. `make` takes the ε. */
  def fit[A](most: Long, groups: Int, sketch: A => Array[Byte])(make: Double => Seq[A]): Seq[A] = {
    val bytesPerGroup = most / math.max(1, groups) - GroupBytes
    var epsilon = if (bytesPerGroup <= 0) MaxEpsilon else math.min(MaxEpsilon, MinTupleBytes / bytesPerGroup)
    var made = make(epsilon)
    while (epsilon < MaxEpsilon && memoryOf(made.iterator.map(sketch)) > most) {
      epsilon = math.min(MaxEpsilon, epsilon * EpsilonGrowth)
      made = make(epsilon)
    }
    made
  }

  /** The least ε that can be useful: that of a single group that takes all bytes. */
  def leastEpsilon(most: Long): Double = math.min(MaxEpsilon, math.max(MinEpsilon, MinTupleBytes / most))
}
