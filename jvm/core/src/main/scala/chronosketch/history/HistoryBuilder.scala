package chronosketch.history

import scala.collection.mutable.ArrayBuffer

import chronosketch.counted.ElementCount
import chronosketch.history.live.{LiveValues, VersionChanges}
import chronosketch.history.span._
import chronosketch.memory.{Meter, Metered}

/** Builds a history from changes, version by version.
  *
  * Guarantee  a [[HistorySketch]] within ε; changes of one key in one version count as their sum, then what it takes away beyond what
  *            is alive is left out and counted: neither order inside a version, nor what cancels, leaves a trace
  * Cost       memory: what is alive (16 bytes a value, [[LiveValues]]), the changes of one version, and the sketch
  * Source     docs/algorithms.md, Any past version
  */
final class HistoryBuilder(recipe: HistoryRecipe) extends Metered {
  private val live = new LiveValues
  private val changes = new VersionChanges
  private val spans = new ArrayBuffer[Span]
  private var span: SpanBuilder = null
  private var spanBytes = 0L

  private var hasVersion = false
  private var isOpen = false
  private var firstVersion, version = 0L
  private var start: Print = null
  private var one, other = 0L
  private var clamped, peak = 0L

  /** `change` elements of one key more, or fewer where it is negative; 0 only says that there is such a version. Versions never
    * fall; inside one version the order means nothing. What would take away more than is there counts as clamped.
    */
  def update(version: Long, key: Long, change: Long): Unit = {
    if (!isOpen || version != this.version) begin(version)
    if (change != 0) changes.add(key, change)
  }

  private def begin(next: Long): Unit = {
    if (hasVersion && next <= version)
      throw new IllegalArgumentException(s"version $next after version $version, which has ended")
    close()
    if (!hasVersion) firstVersion = next
    hasVersion = true
    isOpen = true
    version = next
  }

  /** The history up to now. Later versions can follow. */
  def result(): HistorySketch = {
    close()
    if (!hasVersion) recipe.empty
    else {
      val all = spans.toVector :+ span.finish()
      val chain = Chain(firstVersion, version, all, start, print, clamped, peak)
      new HistorySketch(recipe.domain, recipe.versions, recipe.epsilon, Vector(chain))
    }
  }

  private def print: Print = Print(live.count, one, other)

  private def close(): Unit = if (isOpen) {
    isOpen = false
    changes.net()
    var i = 0
    while (i < changes.size) {
      if (changes.change(i) != 0) apply(changes.key(i), changes.change(i))
      i += 1
    }
    changes.clear()
    if (start == null) start = print
    if (live.count > peak) peak = live.count
    if (span == null || !span.endVersion(version)) open()
    report()
  }

  private def apply(key: Long, change: Long): Unit = {
    if (change > 0) ElementCount.requireRoom(live.count, change)
    val made = live.change(key, change)
    if (made != change) clamped = CountedSpan.plus(clamped, beyond(made, change))
    if (made != 0) {
      one += Print.one(key) * made
      other += Print.other(key) * made
      if (span != null) span.change(key, made)
    }
  }

  private def beyond(made: Long, change: Long): Long = {
    val left = made - change
    if (left < 0) Long.MaxValue else left
  }

  private def ranks: Long = Tolerance.ranks(recipe.epsilon, live.count)

  /** A new span begins with this version. */
  private def open(): Unit = {
    if (span != null) {
      val finished = span.finish()
      spans += finished
      spanBytes += finished.sizeBytes
    }
    span =
      if (ranks > 0) new CountedSpanBuilder(version, live, recipe.epsilon, ranks)
      else new LoggedSpanBuilder(version, live, () => ranks == 0)
  }

  protected def heldBytes: Long =
    4 * Meter.ObjectBytes + live.sizeBytes + changes.sizeBytes + spanBytes +
      (if (span == null) 0L else span.sizeBytes)
}
