package chronosketch.summary

import java.math.BigDecimal

import chronosketch.quantile.GreenwaldKhanna

/** Reads the tuples (v, g, Δ) of a sketch and checks their invariants. */
object TupleChecks {
  final case class Tuple(key: Long, g: Long, delta: Long)

  def of(sketch: GreenwaldKhanna): IndexedSeq[Tuple] = {
    val tuples = sketch.summarised
    IndexedSeq.tabulate(tuples.size)(i => Tuple(tuples.keys(i), tuples.gs(i), tuples.deltas(i)))
  }

  /** ⌊epsilon·n⌋, computed with BigDecimal. */
  def share(epsilon: Double, n: Long): Long =
    new BigDecimal(epsilon).multiply(BigDecimal.valueOf(n)).toBigInteger.longValueExact

  /** The limit of g + Δ in a sketch that was never merged. */
  def insertLimit(sketch: GreenwaldKhanna): Long = math.max(1L, share(sketch.epsilon, sketch.count))

  /** The limit of g + Δ in any sketch. Near a tail it is smaller ([[chronosketch.quantile.TailCertificate]]). */
  def mergeLimit(sketch: GreenwaldKhanna): Long =
    if (sketch.family.tail.isEmpty) math.max(1L, share(2 * sketch.epsilon, sketch.count))
    else 2 * share(sketch.epsilon, sketch.count) + 1

  /** A text for every invariant that does not hold. */
  def violations(sketch: GreenwaldKhanna, limit: Long): Seq[String] = {
    val tuples = of(sketch)
    val found = Seq.newBuilder[String]
    def expect(holds: Boolean, what: => String): Unit = if (!holds) found += what
    expect(tuples.map(_.g).sum == sketch.count, s"g add up to ${tuples.map(_.g).sum}, not to ${sketch.count}")
    tuples.headOption.foreach(t => expect(t.g == 1 && t.delta == 0, s"the first is $t"))
    tuples.lastOption.foreach(t => expect(t.delta == 0, s"the last is $t"))
    var rank = 0L
    var highest = 0L
    tuples.indices.foreach { i =>
      val t = tuples(i)
      rank += t.g
      expect(t.g >= 1 && t.delta >= 0, s"$t at $i")
      expect(sketch.domain.holds(t.key), s"${t.key} at $i is not a ${sketch.domain.sql}")
      if (i > 0 && tuples(i - 1).key == t.key) {
        expect(t.delta == 0, s"the second of two equal keys is $t")
        expect(i < 2 || tuples(i - 2).key != t.key, s"three tuples have key ${t.key}")
      } else {
        expect(
          i == 0 || tuples(i - 1).key < t.key,
          s"${t.key} at $i follows ${tuples(math.max(0, i - 1)).key}"
        )
        expect(t.g + t.delta <= limit, s"g + Δ of $t at $i is above $limit")
        expect(
          rank + t.delta >= highest && rank + t.delta <= sketch.count,
          s"r_max of $t at $i is ${rank + t.delta}"
        )
        highest = rank + t.delta
      }
    }
    found.result()
  }

  def violations(sketch: GreenwaldKhanna): Seq[String] = violations(sketch, mergeLimit(sketch))
}
