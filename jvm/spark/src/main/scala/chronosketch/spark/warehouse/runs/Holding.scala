package chronosketch.spark.warehouse.runs

import chronosketch.spark.warehouse.manifest.{LineLimit, MostBytes, MostError}
import chronosketch.warehouse.RunSamples

/** Limits how many samples a task holds for all its groups. */
private[runs] sealed trait Holding {

  /** Begins the samples of the next group. */
  def begun(): RunSamples

  /** Registers a finished group (`last`), and thins the samples of all groups if they exceed the limit. */
  def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit
}

private[runs] object Holding {

  /** The limit of one of `tasks` tasks, which share that of a run. */
  def of(limit: LineLimit, tasks: Int): Holding = limit match {
    case MostError(epsilon) => new EachGroup(epsilon)
    case MostBytes(bytes) => new AllGroups(math.max(FewestHeld, bytes / BytesOfTuple * Finer / tasks))
  }

  /** The approximate bytes of a stored tuple. */
  private val BytesOfTuple: Long = 10

  /** The number of samples held per stored tuple. More samples let the tuples be spread more evenly. */
  private val Finer: Long = 4

  private val FewestHeld: Long = 1000

  private final class EachGroup(epsilon: Double) extends Holding {
    def begun(): RunSamples = new RunSamples(epsilon)
    def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit = ()
  }

  /** Gives all groups the same limit, and halves it whenever all groups together hold too many samples. */
  private final class AllGroups(most: Long) extends Holding {
    private var samplesPerGroup = math.min(most, Int.MaxValue.toLong / 2).toInt
    private var held = 0L

    def begun(): RunSamples = {
      val samples = new RunSamples(0)
      samples.holdAtMost(samplesPerGroup)
      samples
    }

    def keepTo(last: RunSamples, groups: collection.Seq[GroupOfPart]): Unit = {
      held += last.held
      while (held > most && samplesPerGroup > 2) {
        samplesPerGroup /= 2
        groups.foreach(_.samples.holdAtMost(samplesPerGroup))
        held = groups.iterator.map(_.samples.held.toLong).sum
      }
    }
  }
}
