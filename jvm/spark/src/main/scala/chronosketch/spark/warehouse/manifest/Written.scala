package chronosketch.spark.warehouse.manifest

/** The last batch that a writer has had taken, and the step that it is: its repetition is recognised. */
private[spark] final case class Written(writer: String, batch: Long, step: Long)

/** The last batch of a stream that was taken, by the id of the query, which its checkpoint keeps. */
private[spark] final case class Streamed(query: String, batch: Long)
