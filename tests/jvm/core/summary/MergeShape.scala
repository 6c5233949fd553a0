package chronosketch.summary

import chronosketch.quantile.GreenwaldKhanna

/** How many parts become one. Summaries are used up. */
sealed abstract class MergeShape(val name: String) {
  def unite[S <: Summary](parts: IndexedSeq[S]): S

  /** Where each of `parts` parts of n elements ends. */
  def ends(parts: Int, n: Int): IndexedSeq[Int] = (1 to parts).map(i => (n.toLong * i / parts).toInt)
}

object MergeShape {
  case object Chain extends MergeShape("chain") {
    def unite[S <: Summary](parts: IndexedSeq[S]): S = {
      parts.tail.foreach(parts.head.merge)
      parts.head
    }
  }

  case object Balanced extends MergeShape("balanced") {
    def unite[S <: Summary](parts: IndexedSeq[S]): S =
      if (parts.size == 1) parts.head
      else {
        val (left, right) = parts.splitAt(parts.size / 2)
        val into = unite(left)
        into.merge(unite(right))
        into
      }
  }

  /** Half of the elements in the first part, the others ever smaller; the small ones take in the large. */
  case object Skewed extends MergeShape("skewed") {
    def unite[S <: Summary](parts: IndexedSeq[S]): S = parts.reduceLeft { (into, next) =>
      next.merge(into)
      next
    }
    override def ends(parts: Int, n: Int): IndexedSeq[Int] =
      if (parts == 1) IndexedSeq(n)
      else (1 until parts).map(i => n / 2 + (n.toLong / 2 * (i - 1) / (parts - 1)).toInt) :+ n
  }

  val all: Seq[MergeShape] = Seq(Chain, Balanced, Skewed)

  /** Keys cut into parts, each summarised, all united. */
  def build(keys: Array[Long], parts: Int, shape: MergeShape)(empty: => GreenwaldKhanna): GreenwaldKhanna = {
    val ends = shape.ends(parts, keys.length)
    val sketches = ends.zip(0 +: ends).map { case (end, start) =>
      val s = empty
      (start until end).foreach(i => s.insert(keys(i)))
      s
    }
    shape.unite(sketches)
  }
}
