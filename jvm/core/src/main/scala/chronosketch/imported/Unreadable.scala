package chronosketch.imported

import chronosketch.Refusal

/** Why a summary of another library can't be read. */
private[chronosketch] object Unreadable {
  def histogram(reason: String): Refusal = Refusal("CHRONOSKETCH_INVALID_HISTOGRAM", "reason" -> reason)

  /** @param format what the bytes should be */
  def bytes(length: Int, format: String, reason: String): Refusal = Refusal(
    "CHRONOSKETCH_NOT_IMPORTABLE",
    "bytes" -> length.toString,
    "format" -> format,
    "reason" -> reason
  )
}
