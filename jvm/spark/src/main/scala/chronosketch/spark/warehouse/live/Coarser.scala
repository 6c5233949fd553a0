package chronosketch.spark.warehouse.live

import chronosketch.counted.SortedKeys
import chronosketch.quantile.TupleUnion
import chronosketch.spark.warehouse.manifest.{LineLimit, MostBytes, MostError}
import chronosketch.spark.warehouse.runs.{Fitting, GroupSummary}
import chronosketch.summary.Envelope

/** Coarsens stored sketches to fit a limit: replaces them by smaller ones with a greater error, or keeps them if they fit. */
private[live] object Coarser {

  /** Coarsens the sketches of an entry. */
  def groups(limit: LineLimit, groups: Seq[GroupSummary]): Seq[GroupSummary] =
    within[GroupSummary](limit, groups, _.sketch)((group, sketch) => group.copy(sketch = sketch))

  /** Coarsens the sketches of groups until they fit a limit together. */
  def within[A](limit: LineLimit, groups: Seq[A], sketch: A => Array[Byte])(
      replace: (A, Array[Byte]) => A
  ): Seq[A] = limit match {
    // the sketches were already made with this error
    case MostError(_) => groups
    case MostBytes(bytes) =>
      Fitting.closest(bytes, groups.size, sketch) { epsilon =>
        groups.map(group => replace(group, atLeast(sketch(group), epsilon)))
      }
  }

  private def atLeast(sketch: Array[Byte], epsilon: Double): Array[Byte] = {
    val finer = GroupSummary.opened(sketch)
    // if no tuple can be dropped, the sketch is smaller unchanged
    if (finer.epsilon >= epsilon || 2 * epsilon * finer.count.toDouble < 2) sketch
    else {
      val coarser = new TupleUnion(finer.domain, epsilon)
      coarser.add(finer)
      Envelope.seal(coarser.summary(new SortedKeys(Array.emptyLongArray, 0), 0.0, _ => 2))
    }
  }
}
