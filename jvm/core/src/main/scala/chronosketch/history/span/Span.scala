package chronosketch.history.span

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** What was alive at each version of a run of versions: from [[first]] up to the first of the next span. */
private[history] trait Span {
  def first: Long

  /** What is certain at a version; `domain` is the type of the values. */
  def profile(version: Long, domain: Domain): RankProfile

  /** Itself, where a version of it can be asked without its profile. */
  def counted: Option[CountedSpan]

  /** Its first version stands before it. */
  def write(writer: Wire.Writer): Unit

  /** The most elements that were alive. */
  def most: Long

  def sizeBytes: Long
}

/** A span that is being built: it is told each change of what is alive, and the end of each version. */
private[history] trait SpanBuilder {

  /** So many copies of a key more, or fewer: what really changed. */
  def change(key: Long, change: Long): Unit

  /** The changes since the last end make up a version. False if it belongs to a new span: then none of them counts here. */
  def endVersion(version: Long): Boolean

  /** The span up to the last version that ended. */
  def finish(): Span

  def sizeBytes: Long
}
