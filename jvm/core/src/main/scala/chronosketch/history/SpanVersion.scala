package chronosketch.history

import chronosketch.domain.Domain
import chronosketch.history.span.CountedSpan
import chronosketch.rank.{Phi, RankProfile}

/** A version of a counted span: what can be said of it before all cells are read?
  *
  * Guarantee  what the profile says
  * Cost       the count: a search; a quantile: a path through its cells
  */
private[history] final class SpanVersion(span: CountedSpan, version: Long, domain: Domain) {
  private val count = span.counters.at(0, version)

  def fewest: Long = span.lowest(count, version)
  def most: Long = span.highest(count, version)

  def profile: RankProfile = span.profile(version, domain)

  /** Of a version that has elements; none where the profile has to be asked. */
  def quantile(phi: Phi): Option[Long] = span.quantile(version, count, phi, domain)
}
