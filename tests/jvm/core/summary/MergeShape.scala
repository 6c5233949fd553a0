package chronosketch.summary

/** An order in which parts are merged. Merging changes the parts. */
sealed abstract class MergeShape(val name: String) {
  def unite[S <: Summary](parts: IndexedSeq[S]): S

  /** The end of each of `parts` parts of n elements. */
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

  /** The first part has half of the elements, the others are small; large summaries are merged into small ones. */
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

  /** Splits the keys into parts, summarises each, and merges all. */
  def build[S <: Inserts](keys: Array[Long], parts: Int, shape: MergeShape)(empty: => S): S = {
    val ends = shape.ends(parts, keys.length)
    val sketches = ends.zip(0 +: ends).map { case (end, start) =>
      val s = empty
      (start until end).foreach(i => s.insert(keys(i)))
      s
    }
    shape.unite(sketches)
  }
}
