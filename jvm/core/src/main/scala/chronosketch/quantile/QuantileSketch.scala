package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.summary.{Envelope, Family, InsertingFamily, InsertingRecipe, Parameter, Summary}

/** The family of quantile sketches with a certified rank error: [[GreenwaldKhanna]] summaries, which are exact if epsilon is 0. */
object QuantileSketch extends InsertingFamily[GreenwaldKhanna] {
  val id = 1
  val name = "quantile sketch"
  def aggregate: Seq[String] = Seq("quantile_sketch_agg", "value")

  val Epsilon: Parameter = Parameter("epsilon", default = 1e-3, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def recipe(domain: Domain, numbers: Seq[Double]): QuantileRecipe = QuantileRecipe(domain, numbers.head)
}

/** Makes quantile sketches of a value type and an ε, and is the header of stored ones. */
final case class QuantileRecipe(domain: Domain, epsilon: Double)
    extends InsertingRecipe[GreenwaldKhanna] {
  def family: Family[GreenwaldKhanna] = QuantileSketch

  // a val: one recipe encodes the sketches of a million groups
  val numbers: Seq[Double] = epsilon :: Nil

  def empty: GreenwaldKhanna = new GreenwaldKhanna(this)

  def read(reader: Wire.Reader): GreenwaldKhanna = GreenwaldKhannaWire.read(reader, this, Scratch.ofThread)

  override def mergeInto(summary: Summary, reader: Wire.Reader): Unit = summary match {
    case sketch: GreenwaldKhanna => sketch.mergeStored(this, reader)
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
    sketch.restore(Tuples.summary(counted, epsilon))
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
