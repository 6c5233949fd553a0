package chronosketch.history

import java.util.Arrays

import chronosketch.domain.Domain
import chronosketch.history.span.{CountedSpan, Span}
import chronosketch.rank.RankProfile

/** The history of some of the elements, without a gap: its spans follow one another.
  *
  * @param start   what was alive after the first version
  * @param end     what was alive after the last
  * @param clamped deletes beyond what was alive
  * @param peak    the most elements that were alive
  */
private[history] final case class Chain(
    first: Long,
    last: Long,
    spans: Vector[Span],
    start: Print,
    end: Print,
    clamped: Long,
    peak: Long
) {
  private val firsts: Array[Long] = spans.map(_.first).toArray
  private val serving: Array[Span] = spans.toArray

  def has(version: Long): Boolean = version >= first && version <= last

  /** The span of a version that is not before the first. */
  def span(version: Long): Span = {
    val found = Arrays.binarySearch(firsts, version)
    serving(if (found >= 0) found else -found - 2)
  }

  /** Before the first version there is nothing. */
  def profile(version: Long, domain: Domain): RankProfile =
    if (version < first) RankProfile.empty else span(version).profile(version, domain)

  /** A version that is not before the first, where it can be asked without its profile. */
  def place(version: Long, domain: Domain): Option[SpanVersion] =
    span(version).counted.map(new SpanVersion(_, version, domain))

  def sizeBytes: Long = spans.map(_.sizeBytes).sum

  /** Whether another goes on where this one ends. */
  def isFollowedBy(that: Chain): Boolean = last < that.first && end == that.start

  def followedBy(that: Chain): Chain = Chain(
    first,
    that.last,
    spans ++ that.spans,
    start,
    that.end,
    CountedSpan.plus(clamped, that.clamped),
    math.max(peak, that.peak)
  )
}

private[history] object Chain {

  /** Chains of which none is followed by another, in an order that does not tell how they came. */
  def joined(chains: Vector[Chain]): Vector[Chain] = {
    val sorted = chains.sortBy(c => (c.first, c.last, c.start.count, c.start.one, c.start.other, c.end.one))
    sorted.foldLeft(Vector.empty[Chain]) { (done, next) =>
      // the one that ended last: what came between is known best
      val before = done.indices.filter(i => done(i).isFollowedBy(next)).maxByOption(i => (done(i).last, -i))
      before.fold(done :+ next)(i => done.updated(i, done(i).followedBy(next)))
    }
  }
}
