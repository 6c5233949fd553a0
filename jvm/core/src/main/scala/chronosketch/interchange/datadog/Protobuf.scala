package chronosketch.interchange.datadog

import java.nio.{ByteBuffer, ByteOrder}

import chronosketch.Refusal

/** Reads a message of protocol buffers field by field.
  *
  * Guarantee  reads only between `from` and `until`; unknown fields can be skipped; bytes that are not a message are refused
  * Cost       embedded messages are read in place, without a copy
  * Source     Protocol Buffers, Encoding
  */
private[datadog] final class ProtobufReader(bytes: Array[Byte], from: Int, private val until: Int) {
  import Protobuf._

  private val doubles = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
  private var at = from

  /** The number of the field read last, and its wire type. */
  var field: Int = 0
  var wireType: Int = 0

  /** Moves to the next field; false at the end. */
  def next(): Boolean = at < until && {
    val tag = varint()
    if (tag < 0 || tag >>> 3 > Int.MaxValue || tag >>> 3 == 0) throw corrupt(s"a field has the tag $tag")
    field = (tag >>> 3).toInt
    wireType = (tag & 7).toInt
    true
  }

  def varint(): Long = {
    var value = 0L
    var shift = 0
    while (shift < 64) {
      if (at >= until) throw early
      val b = bytes(at)
      at += 1
      value |= (b & 0x7fL) << shift
      if (b >= 0) return value
      shift += 7
    }
    throw corrupt("a number has more than 64 bits")
  }

  /** Reads a sint32. */
  def signed(): Int = {
    require(Varint)
    val value = varint().toInt
    (value >>> 1) ^ -(value & 1)
  }

  def double(): Double = {
    require(Fixed64)
    plainDouble()
  }

  private def plainDouble(): Double = {
    if (until - at < 8) throw early
    at += 8
    doubles.getDouble(at - 8)
  }

  /** Reads an embedded message or another length-delimited field. */
  def message(): ProtobufReader = {
    require(Length)
    val length = varint()
    if (length < 0 || length > until - at) throw early
    at += length.toInt
    new ProtobufReader(bytes, at - length.toInt, at)
  }

  /** Calls `take` with each double of a repeated field, packed or not. */
  def repeatedDoubles(take: Double => Unit): Unit =
    if (wireType == Fixed64) take(double())
    else {
      val packed = message()
      while (packed.at < packed.until) take(packed.plainDouble())
    }

  /** Skips the value of an unknown field. */
  def skip(): Unit = wireType match {
    case Varint => varint(); ()
    case Fixed64 => plainDouble(); ()
    case Length => message(); ()
    case Fixed32 => if (until - at < 4) throw early else at += 4
    case other => throw corrupt(s"a field is written in an unknown way ($other)")
  }

  private def require(expected: Int): Unit =
    if (wireType != expected) throw corrupt(s"field $field is written in another way ($wireType)")

  private def early: Refusal = corrupt("they end early")
  private def corrupt(reason: String): Refusal = DatadogSketch.refusal(bytes.length, reason)
}

/** Writes a message of protocol buffers field by field. */
private[datadog] final class ProtobufWriter {
  import Protobuf._

  private val out = new java.io.ByteArrayOutputStream

  def bytes: Array[Byte] = out.toByteArray

  private def varint(value: Long): Unit = {
    var rest = value
    while ((rest & ~0x7fL) != 0) {
      out.write((rest.toInt & 0x7f) | 0x80)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }

  private def tag(field: Int, wireType: Int): Unit = varint((field << 3 | wireType).toLong)

  private def plain(value: Double): Unit = {
    val bits = java.lang.Double.doubleToLongBits(value)
    var shift = 0
    while (shift < 64) { out.write((bits >>> shift).toInt & 0xff); shift += 8 }
  }

  def number(field: Int, value: Int): Unit = { tag(field, Varint); varint(value.toLong) }

  /** Writes a sint32. */
  def signed(field: Int, value: Int): Unit = {
    tag(field, Varint)
    varint(((value << 1) ^ (value >> 31)) & 0xffffffffL)
  }

  def double(field: Int, value: Double): Unit = { tag(field, Fixed64); plain(value) }

  def message(field: Int)(write: ProtobufWriter => Unit): Unit = {
    val inner = new ProtobufWriter
    write(inner)
    tag(field, Length)
    varint(inner.out.size.toLong)
    inner.out.writeTo(out)
  }

  def packed(field: Int, values: Array[Double]): Unit = {
    tag(field, Length)
    varint(8L * values.length)
    values.foreach(plain)
  }
}

/** The numbers of the wire types that are read or written. */
private[datadog] object Protobuf {
  val Varint = 0
  val Fixed64 = 1
  val Length = 2
  val Fixed32 = 5
}
