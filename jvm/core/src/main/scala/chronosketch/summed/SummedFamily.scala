package chronosketch.summed

import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.moments.{MomentsRecipe, MomentsSketches}
import chronosketch.quantile.{QuantileBased, QuantileFamily, QuantileRecipe, QuantileSketch}
import chronosketch.rank.Tail
import chronosketch.summary.{Family, InsertingFamily, InsertingRecipe, Parameter, Summary}

/** A family of quantile sketches that keep the sums of their values. As with the quantile sketches themselves, each tail has its
  * own.
  *
  * @param quantiles
  *   the family of their quantile sketches
  */
sealed abstract class SummedFamily(val id: Int, val quantiles: QuantileFamily)
    extends InsertingFamily[SummedSketch]
    with QuantileBased {
  def name: String =
    quantiles.tail.fold("quantile sketch with sum => true")(t =>
      s"quantile sketch with tail => '${t.name}', sum => true"
    )
  def aggregate: Seq[String] = quantiles.aggregate :+ "sum => true"

  final def parameters: Seq[Parameter] = quantiles.parameters

  /** Only numbers have sums. */
  override def takes(domain: Domain): Boolean = MomentsSketches.takes(domain)

  override def isKin(other: Family[Summary]): Boolean = quantiles.isKin(other)

  final def recipe(domain: Domain, numbers: Seq[Double]): SummedRecipe =
    SummedRecipe(quantiles.recipe(domain, numbers))

  /** How SQL builds such a sketch of a value. */
  final def sql(numbers: Seq[Double]): String = {
    val tuning = parameters.zip(numbers).map { case (p, n) => s"${p.name} => ${Parameter.text(n)}" }
    (aggregate.slice(1, 2) ++ tuning ++ aggregate.drop(2)).mkString(s"${aggregate.head}(", ", ", ")")
  }
}

/** The family whose rank error is the same at all ranks. */
object SummedSketches extends SummedFamily(22, QuantileSketch)

object SummedFamily {
  private object HighTail extends SummedFamily(23, QuantileFamily.of(Some(Tail.High)))
  private object LowTail extends SummedFamily(24, QuantileFamily.of(Some(Tail.Low)))
  private object BothTails extends SummedFamily(25, QuantileFamily.of(Some(Tail.Both)))

  val all: Seq[SummedFamily] = Seq(SummedSketches, HighTail, LowTail, BothTails)

  /** The family that adds sums to quantile sketches. */
  def of(quantiles: QuantileFamily): SummedFamily = all.find(_.quantiles eq quantiles).get
}

/** Makes quantile sketches with sums, and is the header of stored ones.
  *
  * @param quantiles
  *   the recipe of their quantile sketches
  */
final case class SummedRecipe(quantiles: QuantileRecipe) extends InsertingRecipe[SummedSketch] {
  val family: SummedFamily = SummedFamily.of(quantiles.family)

  def domain: Domain = quantiles.domain
  def numbers: Seq[Double] = quantiles.numbers

  private def moments: MomentsRecipe = MomentsRecipe(domain)

  def empty: SummedSketch = new SummedSketch(family, quantiles.empty, moments.empty)

  def read(reader: Wire.Reader): SummedSketch = {
    val sketch = quantiles.read(reader)
    val sums =
      if (sketch.isEmpty) moments.empty
      else moments.readSums(reader, sketch.count, sketch.minimum.get, sketch.maximum.get)
    new SummedSketch(family, sketch, sums)
  }

  override def mostInBag: Int = quantiles.mostInBag

  private[chronosketch] override def mostUnsummarised: Int = quantiles.mostUnsummarised

  override def ofBag(keys: Array[Long], queried: Int, n: Int): SummedSketch = {
    // first, because the quantile sketch may sort the keys
    val sums = moments.ofBag(keys, queried, n)
    new SummedSketch(family, quantiles.ofBag(keys, queried, n), sums)
  }

  override def ofCounts(counted: CountedKeys): SummedSketch =
    new SummedSketch(family, quantiles.ofCounts(counted), moments.ofCounts(counted))
}
