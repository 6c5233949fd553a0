package chronosketch.interchange

import chronosketch.Refusal

/** Refusals of another library's summary that can't be read. */
private[chronosketch] object Unreadable {
  def histogram(reason: String): Refusal = Refusal("CHRONOSKETCH_INVALID_HISTOGRAM", "reason" -> reason)

  /** @param format name of the expected format */
  def bytes(length: Int, format: String, reason: String): Refusal = Refusal(
    "CHRONOSKETCH_NOT_IMPORTABLE",
    "bytes" -> length.toString,
    "format" -> format,
    "reason" -> reason
  )
}
