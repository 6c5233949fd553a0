package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{LineLimit, MostBytes, MostError}
import chronosketch.warehouse.RunSamples

/** How many samples does a task hold, of all groups that it meets? */
private[runs] sealed trait Holding {

  /** Of the next group. */
  def begun(): RunSamples

  /** Leaves no more of all groups than may be held, where one more has come. */
  def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit
}

private[runs] object Holding {

  /** `tasks` share what a run may have. */
  def of(limit: LineLimit, tasks: Int): Holding = limit match {
    case MostError(epsilon) => new EachGroup(epsilon)
    case MostBytes(bytes) => new AllGroups(math.max(FewestHeld, bytes / BytesOfTuple * Finer / tasks))
  }

  /** About what a tuple takes where it is stored. */
  private val BytesOfTuple: Long = 10

  /** So many samples are held for a tuple that is stored: tuples can be spread the more evenly. */
  private val Finer: Long = 4

  private val FewestHeld: Long = 1000

  private final class EachGroup(epsilon: Double) extends Holding {
    def begun(): RunSamples = new RunSamples(epsilon)
    def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit = ()
  }

  /** Each group may have as many samples as any other: where all have too many, half of that. */
  private final class AllGroups(most: Long) extends Holding {
    private var ofGroup = math.min(most, Int.MaxValue.toLong / 2).toInt
    private var held = 0L

    def begun(): RunSamples = {
      val samples = new RunSamples(0)
      samples.holdAtMost(ofGroup)
      samples
    }

    def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit = {
      held += last.held
      while (held > most && ofGroup > 2) {
        ofGroup /= 2
        groups.foreach(_.samples.holdAtMost(ofGroup))
        held = groups.iterator.map(_.samples.held.toLong).sum
      }
    }
  }
}
