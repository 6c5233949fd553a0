package chronosketch.history

import java.util.Arrays

import chronosketch.codec.SplitMix64
import chronosketch.domain.Domain
import chronosketch.history.span.{CountedSpan, Span}
import chronosketch.rank.RankProfile

/** A gapless history of some of the elements, as consecutive spans.
  *
  * @param startFingerprint fingerprint of the elements alive after the first version
  * @param endFingerprint   fingerprint of the elements alive after the last version
  * @param ignoredDeletes   number of deletes of elements that were not alive
  * @param maxAlive         maximal number of elements alive at a version
  */
private[history] final case class Chain(
    first: Long,
    last: Long,
    spans: Vector[Span],
    startFingerprint: Fingerprint,
    endFingerprint: Fingerprint,
    ignoredDeletes: Long,
    maxAlive: Long
) {
  private val firsts: Array[Long] = spans.map(_.first).toArray
  private val spansByFirst: Array[Span] = spans.toArray

  def has(version: Long): Boolean = version >= first && version <= last

  /** The span of a version, which must not be before the first. */
  def span(version: Long): Span = {
    val found = Arrays.binarySearch(firsts, version)
    spansByFirst(if (found >= 0) found else -found - 2)
  }

  /** The profile of a version; before the first version it is empty. */
  def profile(version: Long, domain: Domain): RankProfile =
    if (version < first) RankProfile.empty else span(version).profile(version, domain)

  /** A version, which must not be before the first, if its span can answer without a profile. */
  def spanVersion(version: Long, domain: Domain): Option[SpanVersion] =
    span(version).counted.map(new SpanVersion(_, version, domain))

  def sizeBytes: Long = spans.map(_.sizeBytes).sum

  /** Whether the other chain continues this one: it begins later, with the same elements that this one ends with. */
  def isFollowedBy(that: Chain): Boolean = last < that.first && endFingerprint == that.startFingerprint

  def followedBy(that: Chain): Chain = Chain(
    first,
    that.last,
    spans ++ that.spans,
    startFingerprint,
    that.endFingerprint,
    CountedSpan.plus(ignoredDeletes, that.ignoredDeletes),
    math.max(maxAlive, that.maxAlive)
  )
}

private[history] object Chain {

  /** Joins chains that follow one another. The result does not depend on the order of the given chains. */
  def joined(chains: Vector[Chain]): Vector[Chain] = {
    val sorted = chains.sortBy { c =>
      val start = c.startFingerprint
      (c.first, c.last, start.count, start.hashA, start.hashB, c.endFingerprint.hashA)
    }
    sorted.foldLeft(Vector.empty[Chain]) { (done, next) =>
      // of several candidates choose the one that ended last, which leaves the shortest gap
      val before = done.indices.filter(i => done(i).isFollowedBy(next)).maxByOption(i => (done(i).last, -i))
      before.fold(done :+ next)(i => done.updated(i, done(i).followedBy(next)))
    }
  }
}

/** The number of elements of a bag and a 128-bit fingerprint of them, to tell whether two bags are equal.
  *
  * Guarantee  equal bags have equal fingerprints, in whatever order their elements came; two different bags have equal fingerprints with
  *            probability 2⁻¹²⁸, unless somebody constructs them for this
  * Cost       two multiplications by hashes per change
  *
  * @param count number of elements
  * @param hashA sum of the elements' hashes
  * @param hashB sum of other hashes of them
  */
private[history] final case class Fingerprint(count: Long, hashA: Long, hashB: Long)

private[history] object Fingerprint {

  /** Two hashes of a key: the finalizer of SplitMix64 with different offsets. */
  def hashA(key: Long): Long = SplitMix64.mix(key)
  def hashB(key: Long): Long = SplitMix64.finish(key ^ 0xd1b54a32d192ed03L)
}
