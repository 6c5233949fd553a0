package chronosketch.spark.warehouse.manifest

import chronosketch.Refusal

/** The error for a warehouse whose files were changed by others or are cut short. */
private[spark] object Damaged {
  def apply(reason: String, cause: Throwable = null): Refusal =
    new Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", Map("reason" -> reason), cause)
}
