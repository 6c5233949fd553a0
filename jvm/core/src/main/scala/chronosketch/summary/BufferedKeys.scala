package chronosketch.summary

/** The keys that a summary has buffered, in order of arrival: the first `size` elements of an array. The array may belong to the
  * summary, so its contents are valid only until the summary's next call.
  */
private[chronosketch] final class BufferedKeys(val keys: Array[Long], val size: Int)
