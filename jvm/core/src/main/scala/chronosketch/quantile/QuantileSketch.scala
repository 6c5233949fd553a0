package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.rank.Tail
import chronosketch.summary.{Envelope, Family, InsertingFamily, InsertingRecipe, Parameter, Summary}

/** A family of quantile sketches, alone or with what else they keep. All are related: empty ones are neutral in unions with any of
  * them.
  */
trait QuantileBased {

  /** The family of the quantile sketches themselves. */
  def quantiles: QuantileFamily
}

/** A family of quantile sketches with a certified rank error: [[GreenwaldKhanna]] summaries, which are exact if epsilon is 0. Each
  * tail is a family of its own, because sketches of different tails promise different things and cannot be merged.
  *
  * @param tail
  *   the end of the values near which the error is smaller; None if it is the same at all ranks
  */
sealed abstract class QuantileFamily(val id: Int, val tail: Option[Tail])
    extends InsertingFamily[GreenwaldKhanna]
    with QuantileBased {
  def quantiles: QuantileFamily = this

  def name: String = tail.fold("quantile sketch")(t => s"quantile sketch with tail => '${t.name}'")
  def aggregate: Seq[String] =
    Seq("quantile_sketch_agg", "value") ++ tail.map(t => s"tail => '${t.name}'")

  final def parameters: Seq[Parameter] = QuantileFamily.parameters

  override def isKin(other: Family[Summary]): Boolean = other.isInstanceOf[QuantileBased]

  final def recipe(domain: Domain, numbers: Seq[Double]): QuantileRecipe =
    QuantileRecipe(domain, numbers.head, this)
}

/** The family whose rank error is the same at all ranks. */
object QuantileSketch extends QuantileFamily(1, None) {
  val Epsilon: Parameter = Parameter("epsilon", default = 1e-3, least = 0.0, greatest = 0.5)
}

/** The family whose rank error falls towards the greatest value. */
object HighTailSketch extends QuantileFamily(19, Some(Tail.High))

/** The family whose rank error falls towards the least value. */
object LowTailSketch extends QuantileFamily(20, Some(Tail.Low))

/** The family whose rank error falls towards both ends. */
object BothTailsSketch extends QuantileFamily(21, Some(Tail.Both))

object QuantileFamily {
  private val parameters: Seq[Parameter] = Seq(QuantileSketch.Epsilon)

  /** The family of a tail; that of uniform sketches if there is none. */
  def of(tail: Option[Tail]): QuantileFamily = tail match {
    case None => QuantileSketch
    case Some(Tail.High) => HighTailSketch
    case Some(Tail.Low) => LowTailSketch
    case Some(Tail.Both) => BothTailsSketch
  }

  /** The families of the tails. */
  val tails: Seq[QuantileFamily] = Tail.all.map(tail => of(Some(tail)))
}

/** Makes quantile sketches of a value type, an ε and a tail, and is the header of stored ones. */
final case class QuantileRecipe(domain: Domain, epsilon: Double, family: QuantileFamily = QuantileSketch)
    extends InsertingRecipe[GreenwaldKhanna] {
  private[quantile] val tolerance: Tolerance = Tolerance.of(epsilon, family.tail)

  // a val: one recipe encodes the sketches of a million groups
  val numbers: Seq[Double] = epsilon :: Nil

  def empty: GreenwaldKhanna = new GreenwaldKhanna(this)

  def read(reader: Wire.Reader): GreenwaldKhanna = GreenwaldKhannaWire.read(reader, this, Scratch.ofThread)

  override def mergeInto(summary: Summary, reader: Wire.Reader): Unit = summary match {
    case sketch: GreenwaldKhanna if sketch.family eq family => sketch.mergeStored(this, reader)
    case other => super.mergeInto(other, reader)
  }

  /** Up to 2/ε tuples nothing is dropped, so it makes no difference when values are summarised. */
  override def mostInBag: Int = (2 / epsilon).toInt

  /** A sketch of 4/ε values has about 1/ε tuples and a third of the size of the values. If ε is 0, more values than this are no
    * longer in the bag in order of arrival.
    */
  private[chronosketch] override def mostUnsummarised: Int =
    if (epsilon == 0.0) BagLimit.exactCapacity(epsilon, 0)
    else math.min(4 / epsilon, QuantileRecipe.MostUnsummarised.toDouble).toInt

  override def insertsSingly(copies: Long): Boolean = copies < GreenwaldKhanna.FewestHeavy

  override def ofBag(keys: Array[Long], queried: Int, n: Int): GreenwaldKhanna = {
    val sketch = empty
    // a query would have sorted these keys
    val restored = if (queried <= mostInBag) queried else 0
    if (restored > 0) {
      Arrays.sort(keys, 0, restored)
      sketch.restoreBag(keys, restored)
    }
    sketch.insertAll(keys, restored, n)
    sketch
  }

  override def ofOrdered(keys: Array[Long], n: Int): GreenwaldKhanna =
    if (n > mostInBag) super.ofOrdered(keys, n)
    else {
      val sketch = empty
      sketch.restoreBag(keys, n)
      sketch
    }

  override def ofCounts(counted: CountedKeys): GreenwaldKhanna = {
    val sketch = empty
    sketch.restore(tolerance.summary(counted))
    sketch
  }

  override def readSmall(reader: Wire.Reader, alone: Boolean, into: Array[Long]): Int =
    if (alone) GreenwaldKhannaWire.readBag(reader, domain, into, into.length, Long.MaxValue)
    else readFew(reader, into)

  /** Reads the elements of a stored sketch and returns their number; −1 unless merging the sketch equals inserting them one by one in
    * this order.
    */
  private[quantile] def readFew(reader: Wire.Reader, into: Array[Long]): Int = {
    val most = math.min(into.length, MergeLimit.mostInserted(epsilon))
    // a merge inserts one copy of a key and then the others. These must be too few to be kept with their count
    GreenwaldKhannaWire.readBag(reader, domain, into, most, GreenwaldKhanna.FewestHeavy)
  }

  override def seal(keys: Array[Long], n: Int): Array[Byte] =
    if (n > mostInBag) super.seal(keys, n)
    else {
      Arrays.sort(keys, 0, n)
      sealOrdered(keys, n)
    }

  override def sealOrdered(keys: Array[Long], n: Int): Array[Byte] =
    if (n > mostInBag) super.sealOrdered(keys, n)
    else Envelope.seal(this)(GreenwaldKhannaWire.writeBag(_, keys, n))
}

object QuantileRecipe {

  /** 2¹⁶ values of a group are half a megabyte, which is a large row. */
  private val MostUnsummarised = 1 << 16
}
