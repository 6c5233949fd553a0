package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.summary.{Envelope, Family, InsertingFamily, InsertingRecipe, Parameter, Summary}

/** The family of rank-certified quantile sketches: [[GreenwaldKhanna]] summaries, exact bags where epsilon is 0. */
object QuantileSketch extends InsertingFamily[GreenwaldKhanna] {
  val id = 1
  val name = "quantile sketch"
  def aggregate: Seq[String] = Seq("quantile_sketch_agg", "value")

  val Epsilon: Parameter = Parameter("epsilon", default = 1e-3, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def recipe(domain: Domain, numbers: Seq[Double]): QuantileRecipe = QuantileRecipe(domain, numbers.head)
}

/** What a quantile sketch is made of, and what stands before a stored one. */
final case class QuantileRecipe(domain: Domain, epsilon: Double)
    extends InsertingRecipe[GreenwaldKhanna] {
  def family: Family[GreenwaldKhanna] = QuantileSketch

  // once a recipe: a million groups are sealed with one
  val numbers: Seq[Double] = epsilon :: Nil

  def empty: GreenwaldKhanna = new GreenwaldKhanna(this)

  def read(reader: Wire.Reader): GreenwaldKhanna = GreenwaldKhannaWire.read(reader, this)

  override def mergeInto(summary: Summary, reader: Wire.Reader): Unit = summary match {
    case sketch: GreenwaldKhanna => sketch.mergeStored(this, reader)
    case other => super.mergeInto(other, reader)
  }

  /** Up to 2/ε tuples nothing is dropped, whenever values are summarised. */
  override def mostInBag: Int = (2 / epsilon).toInt

  /** Of 4/ε values a sketch has about 1/ε tuples, and is a third as large. Where all are kept, more than these have been sorted. */
  private[chronosketch] override def mostHanded: Int =
    if (epsilon == 0.0) BagLimit.sorted(epsilon, 0)
    else math.min(4 / epsilon, QuantileRecipe.MostHanded.toDouble).toInt

  override def insertsSingly(copies: Long): Boolean = copies < GreenwaldKhanna.FewestHeavy

  override def ofBag(keys: Array[Long], settled: Int, n: Int): GreenwaldKhanna = {
    val sketch = empty
    val restored = if (settled <= mostInBag) settled else 0
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
    sketch.restoreCounts(counted)
    sketch
  }

  override def readSmall(reader: Wire.Reader, alone: Boolean, into: Array[Long]): Int =
    if (alone) GreenwaldKhannaWire.readBag(reader, domain, into, into.length, Long.MaxValue)
    else readFew(reader, into)

  /** The elements of a stored sketch where merging it is inserting them in this order, none of them counted; otherwise −1. */
  private[quantile] def readFew(reader: Wire.Reader, into: Array[Long]): Int = {
    val most = math.min(into.length, MergeLimit.mostInserted(epsilon))
    // one copy is inserted, then the others: as long as these are not counted but inserted too
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

  /** Half a megabyte of a group is a large row. */
  private val MostHanded = 1 << 16
}
