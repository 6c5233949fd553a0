package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.counted.SortedKeys
import chronosketch.quantile.TupleUnion
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._
import chronosketch.summary.Envelope

/** Keeps the sketches of all live batches within the memory that they share: the more batches, the smaller the share of each.
  *
  * Guarantee  they take at most half of the memory, whatever other writers commit meanwhile, unless the coarsest sketches do not fit either
  *            because there are too many groups
  * Cost       a look at the size of each sketch; whenever the number of batches doubles, a new file of sketches for each of them. The old
  *            files stay for older versions
  */
private[warehouse] final class LiveMemory(session: SparkSession, folders: EntryFolders) {
  private val summaries = new EntrySummaries(session, folders)

  /** Coarsens, in a state that is about to be committed, the sketches of the batches that exceed their share. */
  def withinMemory(state: State): State = state.definition.limits match {
    case _: ErrorLimits => state
    case limits: MemoryLimits =>
      val schema = state.definition.schema(state.definition.types.get)
      val groups = summaries.read(state.live, StructType(schema.init))
      val limit = limits.live(state.live.size)
      state.mapLive(live => groups.get(live.id).fold(live)(coarsen(schema, live, _, limit)))
  }

  private def coarsen(
      schema: StructType,
      live: LiveBatch,
      groups: Seq[GroupSummary],
      limit: MaxBytes
  ): LiveBatch =
    if (bytesOf(groups) <= limit.bytes) live
    else {
      val coarser = SketchCoarsening.coarsenGroups(limit, groups)
      if (bytesOf(coarser) == bytesOf(groups)) live
      else live.copy(summary = Some(summaries.write(live.id, schema, coarser)))
    }

  private def bytesOf(groups: Seq[GroupSummary]): Long = SketchFitting.memoryOf(groups.iterator.map(_.sketch))
}

/** Coarsens stored sketches to fit a limit: replaces them by smaller ones with a greater error, or keeps them if they fit. */
private[live] object SketchCoarsening {

  /** Coarsens the sketches of an entry. */
  def coarsenGroups(limit: EntryLimit, groups: Seq[GroupSummary]): Seq[GroupSummary] =
    coarsenToFit[GroupSummary](limit, groups, _.sketch)((group, sketch) => group.copy(sketch = sketch))

  /** Coarsens the sketches of groups until they fit a limit together. */
  def coarsenToFit[A](limit: EntryLimit, groups: Seq[A], sketch: A => Array[Byte])(
      replace: (A, Array[Byte]) => A
  ): Seq[A] = limit match {
    // the sketches were already made with this error
    case MaxError(_) => groups
    case MaxBytes(bytes) =>
      SketchFitting.fit(bytes, groups.size, sketch) { epsilon =>
        groups.map(group => replace(group, coarsen(sketch(group), epsilon)))
      }
  }

  /** Returns a sketch whose ε is at least this one. */
  private def coarsen(sketch: Array[Byte], epsilon: Double): Array[Byte] = {
    val finer = GroupSummary.decode(sketch)
    // if no tuple can be dropped, the sketch is smaller unchanged
    if (finer.epsilon >= epsilon || 2 * epsilon * finer.count.toDouble < 2) sketch
    else {
      val coarser = new TupleUnion(finer.domain, epsilon)
      coarser.add(finer)
      Envelope.seal(coarser.summary(new SortedKeys(Array.emptyLongArray, 0), 0.0, _ => 2))
    }
  }
}
