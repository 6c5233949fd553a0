package chronosketch.history

import scala.collection.mutable.ArrayBuffer

import chronosketch.Cancellation
import chronosketch.counted.ElementCount
import chronosketch.history.live.{LiveValues, VersionChanges}
import chronosketch.history.span._
import chronosketch.memory.{Meter, Metered}

/** Builds a history from changes, version by version.
  *
  * Guarantee  a [[HistorySketch]] within ε. The changes of a key in one version are summed; if the sum deletes more copies than are alive,
  *            the excess is ignored and counted. So the order of changes inside a version has no effect, nor have changes that cancel
  * Cost       memory: the elements alive (16 bytes per value, [[LiveValues]]), the changes of one version, and the sketch
  * Source     docs/algorithms.md, Any past version
  *
  * @param cancellation ends the builder while it applies the changes of a large version
  */
final class HistoryBuilder(recipe: HistoryRecipe, cancellation: Cancellation = Cancellation.Never)
    extends Metered {
  private val live = new LiveValues
  private val changes = new VersionChanges(cancellation)
  private val spans = new ArrayBuffer[Span]
  private var span: SpanBuilder = null
  private var spanBytes = 0L

  private var hasVersion = false
  private var isOpen = false
  private var firstVersion, version = 0L
  private var startFingerprint: Fingerprint = null
  private var hashA, hashB = 0L
  private var ignoredDeletes, maxAlive = 0L

  /** Inserts `change` copies of a key, or deletes them if negative; 0 only states that the version exists. Versions must not decrease.
    * Deletes of copies that are not alive are ignored and counted.
    */
  def update(version: Long, key: Long, change: Long): Unit = {
    if (!isOpen || version != this.version) begin(version)
    if (change != 0) changes.add(key, change)
  }

  private def begin(next: Long): Unit = {
    if (hasVersion && next <= version)
      throw new IllegalArgumentException(s"version $next after version $version, which has ended")
    endVersion()
    if (!hasVersion) firstVersion = next
    hasVersion = true
    isOpen = true
    version = next
  }

  /** The history up to the last version. Later versions can follow. */
  def result(): HistorySketch = {
    endVersion()
    if (!hasVersion) recipe.empty
    else {
      val all = spans.toVector :+ span.finish()
      val chain = Chain(firstVersion, version, all, startFingerprint, fingerprint, ignoredDeletes, maxAlive)
      new HistorySketch(recipe.domain, recipe.versions, recipe.epsilon, Vector(chain))
    }
  }

  private def fingerprint: Fingerprint = Fingerprint(live.count, hashA, hashB)

  private def endVersion(): Unit = if (isOpen) {
    isOpen = false
    changes.net()
    var i = 0
    while (i < changes.size) {
      cancellation.checkAt(i)
      if (changes.change(i) != 0) apply(changes.key(i), changes.change(i))
      i += 1
    }
    changes.clear()
    if (startFingerprint == null) startFingerprint = fingerprint
    if (live.count > maxAlive) maxAlive = live.count
    if (span == null || !span.endVersion(version)) openSpan()
    report()
  }

  private def apply(key: Long, change: Long): Unit = {
    if (change > 0) ElementCount.requireRoom(live.count, change)
    val applied = live.change(key, change)
    if (applied != change) ignoredDeletes = CountedSpan.plus(ignoredDeletes, excess(applied, change))
    if (applied != 0) {
      hashA += Fingerprint.hashA(key) * applied
      hashB += Fingerprint.hashB(key) * applied
      if (span != null) span.change(key, applied)
    }
  }

  /** How many deletes were not applied, at most Long.MaxValue. */
  private def excess(applied: Long, change: Long): Long = {
    val ignored = applied - change
    if (ignored < 0) Long.MaxValue else ignored
  }

  private def ranks: Long = Tolerance.ranks(recipe.epsilon, live.count)

  /** Ends the current span, and begins a new one with this version. */
  private def openSpan(): Unit = {
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
