package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** The elements alive at consecutive versions: from [[first]] up to the first version of the next span. */
private[history] trait Span {
  def first: Long

  /** The rank bounds at a version. `domain` is the type of the values. */
  def profile(version: Long, domain: Domain): RankProfile

  /** This span, if it can answer without a profile. */
  def counted: Option[CountedSpan]

  /** Writes the span without its first version, which the caller has written. */
  def write(writer: Wire.Writer): Unit

  /** The maximal number of elements alive at a version. */
  def maxAlive: Long

  def sizeBytes: Long
}

/** Builds a span from the changes of the elements alive and the ends of versions. */
private[history] trait SpanBuilder {

  /** Records that `change` copies of a key were inserted, or deleted if negative. */
  def change(key: Long, change: Long): Unit

  /** Ends a version, which has the changes since the last end. Returns false, and drops these changes, if the version must begin a new span. */
  def endVersion(version: Long): Boolean

  /** The span up to the last version that was ended. */
  def finish(): Span

  def sizeBytes: Long
}
