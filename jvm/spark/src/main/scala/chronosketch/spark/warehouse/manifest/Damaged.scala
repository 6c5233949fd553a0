package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal

/** What is said of a warehouse that was changed by others, or cut short. */
private[spark] object Damaged {
  def apply(reason: String, cause: Throwable = null): Refusal =
    new Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", Map("reason" -> reason), cause)
}
