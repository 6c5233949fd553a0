package chronosketch.sample

import scala.reflect.ClassTag

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, InsertingFamily, InsertingRecipe, Parameter, RandomRecipe, Summary}

/** A sampling method. Each method is a family of its own, because samples of different methods cannot be merged.
  *
  * @param method the name in SQL
  */
sealed abstract class SampleFamily[+S <: Sample: ClassTag](val id: Int, val method: String)
    extends InsertingFamily[S] {
  def name: String = s"$method sample"
  def aggregate: Seq[String] = Seq("sample_sketch_agg", "value", s"method => '$method'")

  final def parameters: Seq[Parameter] = SampleFamily.parameters

  override def isKin(other: Family[Summary]): Boolean = other.isInstanceOf[SampleFamily[_]]

  final def recipe(domain: Domain, numbers: Seq[Double]): SampleRecipe[S] =
    SampleRecipe(this, domain, numbers(0).toInt, numbers(1).toLong, numbers(2))(StreamIds.Alone)

  private[sample] def make(recipe: SampleRecipe[Sample], stream: Long): S
}

object SampleFamily {
  val Size: Parameter =
    Parameter("size", default = 10000, least = 1, greatest = 1 << 24, isWhole = true)

  /** The whole numbers up to which DOUBLE has no gaps. */
  val Seed: Parameter =
    Parameter(
      "seed",
      default = 0,
      least = -(1L << 53).toDouble,
      greatest = (1L << 53).toDouble,
      isWhole = true
    )
  val Delta: Parameter = Parameter("delta", default = 1e-4, least = 1e-12, greatest = 0.5)
  val parameters: Seq[Parameter] = Seq(Size, Seed, Delta)

  val all: Seq[SampleFamily[Sample]] = Seq(ReservoirSamples, PrioritySamples, BernoulliSamples)
}

/** The family of [[ReservoirSample]]. */
object ReservoirSamples extends SampleFamily[ReservoirSample](11, "reservoir") {
  private[sample] def make(recipe: SampleRecipe[Sample], stream: Long): ReservoirSample =
    new ReservoirSample(recipe, stream)
}

/** A method that may be given the identity of a row: the row's priority then depends only on the seed, the identity and the
  * value.
  */
sealed abstract class IdentifiedFamily[+S <: IdentifiedSample: ClassTag](id: Int, method: String)
    extends SampleFamily[S](id, method)

/** The family of [[PrioritySample]]. */
object PrioritySamples extends IdentifiedFamily[PrioritySample](12, "priority") {
  private[sample] def make(recipe: SampleRecipe[Sample], stream: Long): PrioritySample =
    new PrioritySample(recipe, stream)
}

/** The family of [[BernoulliSample]]. */
object BernoulliSamples extends IdentifiedFamily[BernoulliSample](13, "bernoulli") {
  private[sample] def make(recipe: SampleRecipe[Sample], stream: Long): BernoulliSample =
    new BernoulliSample(recipe, stream)
}

/** The parameters of a sample, and its header when stored. */
final case class SampleRecipe[+S <: Sample](
    family: SampleFamily[S],
    domain: Domain,
    size: Int,
    seed: Long,
    delta: Double
)(streamIds: StreamIds)
    extends InsertingRecipe[S]
    with RandomRecipe {
  def numbers: Seq[Double] = Seq(size.toDouble, seed.toDouble, delta)

  def empty: S = family.make(this, streamIds.next())

  override def inPart(part: Int): SampleRecipe[S] = copy()(new StreamIds.InPart(part))
  private[chronosketch] def nextPart(): Long = streamIds.next()
  private[chronosketch] def emptyUnion: S = family.make(this, 0L)

  /** A merge of the other methods only compares the priorities of rows. */
  private[chronosketch] def drawsInMerges: Boolean = family eq ReservoirSamples

  /** A reservoir keeps every row until it is full. The other methods need a draw for each row as it arrives. */
  override def mostInBag: Int = if (family eq ReservoirSamples) size else 0

  /** A sample of a part has up to `size` rows, and its rows are cheaper to hand on than to sort. */
  private[chronosketch] override def mostUnsummarised: Int = SampleRecipe.mostUndrawn(size)

  def read(reader: Wire.Reader): S = {
    val sample = family.make(this, 0L)
    sample.read(reader)
    sample
  }
}

private[sample] object SampleRecipe {

  /** A sample draws from more rows than this as they arrive, whatever its size. */
  private val MostUndrawn = 1 << 18

  /** The most rows that a sample of this size keeps as they came. Its rows are more than `size` before a task hands them on, so that
    * groups of about `size` rows are all handed on in the same way.
    */
  def mostUndrawn(size: Int): Int = math.max(1L, math.min(size + size / 2L, MostUndrawn.toLong)).toInt
}
