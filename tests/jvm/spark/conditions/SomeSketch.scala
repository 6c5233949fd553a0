package chronosketch.spark.conditions

import java.nio.ByteBuffer
import java.util.zip.CRC32C

import chronosketch.spark.SparkQueries

/** A sketch of the numbers 1 to 100, intact and damaged, and queries of it. */
private[conditions] object SomeSketch extends SparkQueries {
  val s = "quantile_sketch_agg(id)"
  val on = "FROM range(1, 101)"

  lazy val sketch: Array[Byte] = one(s"SELECT $s $on").asInstanceOf[Array[Byte]]

  def literal(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02X").mkString("X'", "", "'")

  /** The sketch with one byte changed, and with a valid checksum. */
  def changed(at: Int, to: Int): Array[Byte] = {
    val bytes = sketch.clone()
    bytes(at) = to.toByte
    val crc = new CRC32C
    crc.update(bytes, 0, bytes.length - 4)
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, crc.getValue.toInt)
    bytes
  }

  def asked(call: String): String = s"SELECT $call AS a FROM (SELECT $s AS s, min(id) AS low $on)"
}
