package chronosketch.spark.warehouse.live

import chronosketch.Refusal
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.RunFolders

/** Adds batches of streams to the open step, each in one commit.
  *
  * Guarantee  a batch is added once, whatever fails in between; a batch with a lower number than the last is refused
  */
private[warehouse] final class LiveBatches(store: RunStore, folders: RunFolders, shares: LiveShares) {

  /** Adds a batch. Returns false if it repeats the last one. `warehouse` is the id of the warehouse that the stream began with. */
  def take(
      warehouse: String,
      live: Live,
      batch: Streamed,
      until: Option[Long],
      types: Definition => Definition
  ): Boolean = {
    val before = store.current().getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_NOT_FOUND"))
    if (before.definition.id != warehouse)
      throw Damaged("it is not the warehouse that the stream began with")
    val isRepeated =
      try before.hasTaken(batch)
      catch {
        case refusal: Refusal =>
          folders.delete(live.id)
          throw refusal
      }
    if (isRepeated) {
      folders.delete(live.id)
      false
    } else {
      val next = shares.kept(before.taking(live, batch, until, types(before.definition)))
      store.commit(next) || take(warehouse, live, batch, until, types)
    }
  }
}
