package chronosketch.spark.warehouse.manifest

/** The last committed batch of a writer and its step. A repeat of it is recognised; a lower number is refused. */
private[spark] final case class Written(writer: String, batch: Long, step: Long)

/** The last committed batch of a stream, by the id of the query, which its checkpoint keeps. */
private[spark] final case class Streamed(query: String, batch: Long)
