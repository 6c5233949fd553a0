package chronosketch.summary

import java.util.Arrays
import java.util.zip.CRC32C

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.Domain

/** Encodes summaries for BINARY columns and decodes them again.
  *
  * Guarantee  whatever the bytes, [[open]] returns only what [[seal]] wrote and nobody changed since (CRC32C). It allocates no
  *            more memory than the size of the input justifies
  * Cost       26 bytes besides the payload of a quantile sketch; see docs/format.md
  */
object Envelope {
  val FormatVersion = 1

  private val Magic = 0x43485253 // "CHRS"
  private val LengthAt = 5
  private val HeaderAt = LengthAt + 4
  private val ChecksumBytes = 4
  private val SmallestBytes = 4 + 1 + 4 + 1 + 3 + 1 + ChecksumBytes

  // one buffer per thread, used again: a query may seal millions of small summaries
  private final class Buffer { var bytes: Array[Byte] = null }
  private val buffers = ThreadLocal.withInitial[Buffer](() => new Buffer)
  private val SmallestBuffer = 1024
  private val LargestKept = 1 << 20

  def seal(summary: Summary): Array[Byte] = seal(summary.header)(summary.write)

  /** Encodes a summary. `write` writes its payload. */
  private[chronosketch] def seal(header: Header[Summary])(write: Wire.Writer => Unit): Array[Byte] = {
    val buffer = buffers.get
    val kept = buffer.bytes
    // while this summary is written others may be sealed: they must not use the same array
    buffer.bytes = null
    val w = new Wire.Writer(if (kept == null) new Array[Byte](SmallestBuffer) else kept)
    start(w, header)
    write(w)
    val bytes = finish(w)
    if (w.array.length <= LargestKept) buffer.bytes = w.array
    bytes
  }

  /** Writes everything before the payload, with a placeholder for the length, which [[finish]] fills in. */
  private[chronosketch] def start(w: Wire.Writer, header: Header[Summary]): Unit = {
    w.int(Magic)
    w.byte(FormatVersion)
    w.int(0)
    w.byte(header.family.id)
    w.byte(header.domain.kind.id)
    w.byte(header.domain.first)
    w.byte(header.domain.second)
    val numbers = header.numbers
    w.byte(numbers.length)
    numbers.foreach(w.double)
  }

  /** Fills in the length, appends the checksum and returns the bytes. */
  private[chronosketch] def finish(w: Wire.Writer): Array[Byte] = {
    w.putInt(LengthAt, w.length + ChecksumBytes)
    w.int(checksum(w.array, w.length))
    w.result()
  }

  /** The format version of a stored sketch. The bytes must be complete. */
  def formatOf(bytes: Array[Byte]): Int = bytes(4) & 0xff

  /** Decodes a summary. `families` finds a family by its id. */
  def open(bytes: Array[Byte], families: Int => Option[Family[Summary]]): Summary = {
    check(bytes)
    openChecked(bytes, families)
  }

  /** [[open]] for bytes that have passed [[check]]. */
  private[chronosketch] def openChecked(
      bytes: Array[Byte],
      families: Int => Option[Family[Summary]]
  ): Summary = {
    val stored = StoredHeader.of(bytes, families)
    val reader = stored.payload(bytes)
    val summary = stored.header.read(reader)
    reader.requireEnd()
    summary
  }

  /** The parsed header of a stored sketch: everything between the length and the payload. The sketches of a column mostly have
    * equal headers, so a header is parsed once and then compared. The bytes must have passed [[check]].
    */
  private[chronosketch] final class StoredHeader private[Envelope] (
      val header: Header[Summary],
      bytes: Array[Byte],
      payloadAt: Int
  ) {
    private val own = Arrays.copyOfRange(bytes, HeaderAt, payloadAt)

    // the header of a family with one parameter is covered by its first and its last eight bytes
    private val isTwoWords = own.length >= 8 && own.length <= 16
    private val firstWord = if (isTwoWords) Wire.word(own, 0) else 0L
    private val lastWord = if (isTwoWords) Wire.word(own, own.length - 8) else 0L

    /** Whether another stored sketch has the same header. */
    def isOf(other: Array[Byte]): Boolean = other.length >= payloadAt + ChecksumBytes && {
      if (isTwoWords)
        Wire.word(other, HeaderAt) == firstWord && Wire.word(other, payloadAt - 8) == lastWord
      else Arrays.equals(other, HeaderAt, payloadAt, own, 0, own.length)
    }

    /** A reader of the payload of bytes that have this header. */
    def payload(other: Array[Byte]): Wire.Reader =
      new Wire.Reader(other, payloadAt, other.length - ChecksumBytes)
  }

  private[chronosketch] object StoredHeader {
    def of(bytes: Array[Byte], families: Int => Option[Family[Summary]]): StoredHeader = {
      val r = new Wire.Reader(bytes, HeaderAt, bytes.length - ChecksumBytes)
      val familyId = r.byte()
      val family = families(familyId)
        .getOrElse(throw Refusal("CHRONOSKETCH_UNKNOWN_FAMILY", "id" -> familyId.toString))
      val kind = r.byte()
      val domain =
        Domain.read(
          kind,
          r.byte(),
          r.byte()
        ).getOrElse(throw r.corrupt(s"it has an unknown value type ($kind)"))
      if (!family.takes(domain))
        throw r.corrupt(s"its values have the type ${domain.sql}, but its family is $family")
      val count = r.byte()
      if (count != family.parameters.length)
        throw r.corrupt(s"it has $count parameters where ${family.parameters.length} belong")
      val numbers = Vector.fill(count)(Parameter.unsigned(r.double()))
      family.parameters.zip(numbers).foreach { case (p, value) =>
        if (!p.allows(value)) throw r.corrupt(s"its ${p.name} is $value")
      }
      new StoredHeader(
        family.header(domain, numbers),
        bytes,
        bytes.length - ChecksumBytes - r.remaining
      )
    }
  }

  /** Checks magic, length, checksum and version, in the order that gives the most helpful error. Nothing in the bytes may be used
    * before. The positions of these four are the same in every format version.
    */
  private[chronosketch] def check(bytes: Array[Byte]): Unit = {
    val n = bytes.length
    if (n < LengthAt || int(bytes, 0) != Magic) {
      throw Refusal("CHRONOSKETCH_NOT_A_SKETCH", "bytes" -> n.toString, "start" -> hex(bytes))
    }
    if (n < SmallestBytes || int(bytes, LengthAt) > n) {
      val whole = if (n < LengthAt + 4) "more" else int(bytes, LengthAt).toString
      throw Refusal("CHRONOSKETCH_TRUNCATED_SKETCH", "bytes" -> n.toString, "length" -> whole)
    }
    if (int(bytes, LengthAt) != n)
      throw corrupt(bytes, s"it has $n bytes, but its header says ${int(bytes, LengthAt)}")
    if (int(bytes, n - ChecksumBytes) != checksum(bytes, n - ChecksumBytes))
      throw corrupt(bytes, "its checksum does not match")
    val version = formatOf(bytes)
    if (version > FormatVersion) {
      throw Refusal(
        "CHRONOSKETCH_NEWER_FORMAT",
        "format" -> version.toString,
        "known" -> FormatVersion.toString,
        "version" -> chronosketch.Version.value
      )
    }
    if (version == 0) throw corrupt(bytes, "its format version is 0")
  }

  private def corrupt(bytes: Array[Byte], why: String): Refusal =
    new Wire.Reader(bytes, 0, bytes.length).corrupt(why)

  private def checksum(bytes: Array[Byte], length: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, length)
    crc.getValue.toInt
  }

  private def int(bytes: Array[Byte], at: Int): Int =
    ((bytes(at) & 0xff) << 24) | ((bytes(at + 1) & 0xff) << 16) | ((bytes(at + 2) & 0xff) << 8) | (bytes(
      at + 3
    ) & 0xff)

  private def hex(bytes: Array[Byte]): String =
    if (bytes.isEmpty) "nothing" else bytes.take(8).map(b => f"${b & 0xff}%02X").mkString("X'", "", "'")
}
