package chronosketch.bench

import org.apache.datasketches.kll.KllDoublesSketch
import org.apache.datasketches.memory.Memory

import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}

/** Merges stored sketches as `sketch_merge_agg` does: each is decoded and merged into the union. */
object Merging {
  val Parts = 1000
  val ValuesAPart = 10000

  def valuesAPart(shape: String): Int = if (shape == "small") 2000 else ValuesAPart

  def stored(values: Array[Double], valuesAPart: Int = ValuesAPart)(
      seal: (Int, Int) => Array[Byte]
  ): Array[Array[Byte]] =
    Array.tabulate(values.length / valuesAPart)(i => seal(i * valuesAPart, (i + 1) * valuesAPart))

  /** The union, without pending values. */
  def ours(parts: Array[Array[Byte]], shape: String): GreenwaldKhanna = {
    val whole =
      if (shape == "small") fromBytes(parts)
      else fold[GreenwaldKhanna](parts, shape, decodeOurs, (a, b) => { a.merge(b); a })
    whole.tuples
    whole
  }

  private def fromBytes(parts: Array[Array[Byte]]): GreenwaldKhanna = {
    val all = new GroupedUnions(new Meter)
    parts.foreach(all.merge(0, _))
    QuantileSketch.own(all.summary(0))
  }

  def kll(parts: Array[Array[Byte]], shape: String): KllDoublesSketch =
    fold[KllDoublesSketch](parts, shape, decodeKll, (a, b) => { a.merge(b); a })

  def decodeOurs(bytes: Array[Byte]): GreenwaldKhanna = QuantileSketch.own(Families.open(bytes))

  def decodeKll(bytes: Array[Byte]): KllDoublesSketch = KllDoublesSketch.heapify(Memory.wrap(bytes))

  private def fold[S](
      parts: Array[Array[Byte]],
      shape: String,
      decode: Array[Byte] => S,
      merge: (S, S) => S
  ): S = {
    def balanced(from: Int, until: Int): S =
      if (until - from == 1) decode(parts(from))
      else {
        val middle = (from + until) >>> 1
        merge(balanced(from, middle), balanced(middle, until))
      }
    shape match {
      case "chain" | "small" =>
        parts.tail.foldLeft(decode(parts.head))((all, part) => merge(all, decode(part)))
      case "balanced" => balanced(0, parts.length)
    }
  }
}
