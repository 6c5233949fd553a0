package chronosketch.spark.warehouse.manifest

/** The last committed batch of a writer and its step. Used to ignore a repeated batch and to refuse a lower number. */
private[spark] final case class Written(writer: String, batch: Long, step: Long)

/** The last committed batch of a stream. `query` is the id of the query, which its checkpoint keeps. */
private[spark] final case class Streamed(query: String, batch: Long)
