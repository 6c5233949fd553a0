package chronosketch.history

import chronosketch.domain.Domain
import chronosketch.history.span.CountedSpan
import chronosketch.rank.{Phi, RankProfile}

/** A version of a counted span that answers without reading all cells.
  *
  * Guarantee  the same answers as the profile's
  * Cost       the count: a search; a quantile: a path through the cells
  */
private[history] final class SpanVersion(span: CountedSpan, version: Long, domain: Domain) {
  private val count = span.counters.at(0, version)

  def minCount: Long = span.minCount(count, version)
  def maxCount: Long = span.maxCount(count, version)

  def profile: RankProfile = span.profile(version, domain)

  /** The φ-quantile, or None if only the profile can answer it. The version must have elements. */
  def quantile(phi: Phi): Option[Long] = span.quantile(version, count, phi, domain)
}
