package chronosketch.spark.warehouse.live

import chronosketch.counted.SortedKeys
import chronosketch.quantile.TupleUnion
import chronosketch.spark.warehouse.manifest.{LineLimit, MostBytes, MostError}
import chronosketch.spark.warehouse.runs.{Fitting, GroupSummary}
import chronosketch.summary.Envelope

/** Stored sketches as they are, or others in their place that take fewer bytes and are allowed a greater error. */
private[live] object Coarser {

  /** Those of a line. */
  def groups(limit: LineLimit, groups: Seq[GroupSummary]): Seq[GroupSummary] =
    within[GroupSummary](limit, groups, _.sketch)((group, sketch) => group.copy(sketch = sketch))

  /** Groups whose sketches keep to a limit together. */
  def within[A](limit: LineLimit, groups: Seq[A], sketch: A => Array[Byte])(
      put: (A, Array[Byte]) => A
  ): Seq[A] = limit match {
    // made with this error already
    case MostError(_) => groups
    case MostBytes(bytes) =>
      Fitting.closest(bytes, groups.size, sketch) { epsilon =>
        groups.map(group => put(group, atLeast(sketch(group), epsilon)))
      }
  }

  private def atLeast(sketch: Array[Byte], epsilon: Double): Array[Byte] = {
    val finer = GroupSummary.opened(sketch)
    // where nothing could be dropped, it is smaller as it is
    if (finer.epsilon >= epsilon || 2 * epsilon * finer.count.toDouble < 2) sketch
    else {
      val coarser = new TupleUnion(finer.domain, epsilon)
      coarser.add(finer)
      Envelope.seal(coarser.summary(new SortedKeys(Array.emptyLongArray, 0), 0.0, _ => 2))
    }
  }
}
