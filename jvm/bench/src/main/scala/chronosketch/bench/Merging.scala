package chronosketch.bench

import org.apache.datasketches.kll.KllDoublesSketch
import org.apache.datasketches.memory.Memory

import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}

/** Stored sketches become one, as `sketch_merge_agg` does it: each is decoded and merged into what there is. */
object Merging {
  val Parts = 1000
  val ValuesAPart = 10000

  def stored(values: Array[Double])(seal: (Int, Int) => Array[Byte]): Array[Array[Byte]] =
    Array.tabulate(values.length / ValuesAPart)(i => seal(i * ValuesAPart, (i + 1) * ValuesAPart))

  def ours(parts: Array[Array[Byte]], shape: String): GreenwaldKhanna =
    fold[GreenwaldKhanna](parts, shape, decodeOurs, (a, b) => { a.merge(b); a })

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
      case "chain" => parts.tail.foldLeft(decode(parts.head))((all, part) => merge(all, decode(part)))
      case "balanced" => balanced(0, parts.length)
    }
  }
}
