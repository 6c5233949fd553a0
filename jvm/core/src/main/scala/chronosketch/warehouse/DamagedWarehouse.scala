package chronosketch.warehouse

import chronosketch.Refusal

/** The error for a warehouse whose files were changed by others or are cut short. */
object DamagedWarehouse {
  def apply(reason: String, cause: Throwable = null): Refusal =
    new Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", Map("reason" -> reason), cause)
}
