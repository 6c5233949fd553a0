package chronosketch.spark.rows

import org.apache.spark.sql.internal.SQLConf

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions

/** Refuses rows whose sketches are together larger than a row of Spark can be. Spark itself would fail with an error about its buffers,
  * which does not tell what to do.
  */
private[spark] final class RowLimit {
  private val most = SQLConf.get.getConfString(RowLimit.Setting, RowLimit.Most.toString).toLong

  /** Refuses a row whose sketches have more bytes than allowed. */
  def require(bytes: Long): Unit = if (bytes > most)
    throw Conditions.runtimeError(
      Refusal("CHRONOSKETCH_ROW_TOO_LARGE", "bytes" -> bytes.toString, "limit" -> most.toString),
      Map.empty
    )

  /** Refuses a row with these values if its sketches have more bytes than allowed. */
  def require(values: Array[Any]): Unit = {
    var bytes = 0L
    var i = 0
    while (i < values.length) {
      bytes += RowLimit.sketchBytes(values(i))
      i += 1
    }
    require(bytes)
  }
}

private[spark] object RowLimit {

  /** Lets a test lower the limit. */
  val Setting = "spark.chronosketch.test.rowBytes"

  /** A row of Spark has less than 2 GiB; a mebibyte is left for its other columns. */
  val Most: Long = Int.MaxValue.toLong - (1L << 20)

  /** The bytes of a value that is a sketch; 0 for any other value. */
  def sketchBytes(value: Any): Long = value match {
    case sketch: Array[Byte] => sketch.length.toLong
    case _ => 0L
  }
}
