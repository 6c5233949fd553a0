package chronosketch.interchange

import java.nio.{ByteBuffer, ByteOrder}

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.sort.PairSort

/** The decoded bytes of a KLL sketch: its items with their weights, sorted by item.
  *
  * Guarantee  the weights add up to the count; bytes that are not such a sketch are refused
  * Cost       O(r log r) for r retained items; memory proportional to the number of bytes
  * Units      keys of the requested type
  * Source     Apache DataSketches, KllPreambleUtil: the compact form, which toByteArray writes in all languages;
  *            KllHelper, for the capacity of a level
  *
  * A changed item can't be noticed, because the form has no checksum. The bytes do not say whether items of 8 bytes are DOUBLE or BIGINT: the caller must know.
  */
private[interchange] final class KllBytes private (
    val k: Int,
    val n: Long,
    val least: Long,
    val greatest: Long,
    val items: Array[Long],
    val weights: Array[Long]
) {

  /** Whether the sketch is exact: all values were retained, or all are equal. */
  def isExact: Boolean = items.length == n || least == greatest
}

private[interchange] object KllBytes {
  private val Family = 15
  private val Short = 2
  private val Full = 5
  private val IsEmpty = 1
  private val IsLevelZeroSorted = 2
  private val IsSingle = 4
  private val Preamble = 8
  private val FullPreamble = 20

  /** The capacity that a level has at least, in items. */
  private val LeastCapacity = 8

  /** With more levels, weights would exceed 63 bits. */
  private val MaxLevels = 61

  private val nothing =
    new KllBytes(KllSketch.LeastK, 0L, 0L, 0L, Array.emptyLongArray, Array.emptyLongArray)

  def read(bytes: Array[Byte], domain: Domain): KllBytes = {
    val size = bytes.length
    if (size < Preamble) throw refusal(bytes, "every such sketch has at least 8")
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    if (in.get(2) != Family)
      throw refusal(bytes, s"they are marked as family ${in.get(2) & 0xff}, and KLL is $Family")
    val form = (in.get(0).toInt, in.get(1).toInt, in.get(3) & (IsEmpty | IsSingle))
    val k = in.getShort(4) & 0xffff
    if (k < KllSketch.LeastK) throw refusal(bytes, s"their k is $k, and the least is ${KllSketch.LeastK}")
    form match {
      case (Short, 1, IsEmpty) =>
        if (size != Preamble) throw refusal(bytes, "more bytes follow an empty sketch")
        nothing
      case (Short, 2, IsSingle) => single(in, k, domain)
      case (Full, 1, 0) => full(in, k, domain)
      case (Full, 3, _) =>
        throw refusal(
          bytes,
          "they are in the updatable form, which is still written to. Store what toByteArray returns"
        )
      case (ints, version, flags) =>
        throw refusal(bytes, s"their form is unknown ($ints, $version, $flags)")
    }
  }

  private def single(in: ByteBuffer, k: Int, domain: Domain): KllBytes = {
    if (in.capacity != Preamble + width(domain)) throw wrongLength(in, domain)
    val key = item(in, Preamble, domain)
    new KllBytes(k, 1L, key, key, Array(key), Array(1L))
  }

  private def full(in: ByteBuffer, k: Int, domain: Domain): KllBytes = {
    val bytes = in.array
    if (bytes.length < FullPreamble) throw refusal(bytes, "they end early")
    val n = in.getLong(8)
    val minK = in.getShort(16) & 0xffff
    val levels = in.get(18) & 0xff
    if (n < 1) throw refusal(bytes, s"they count $n values")
    if (minK < KllSketch.LeastK || minK > k) throw refusal(bytes, s"their least k is $minK, of $k")
    if (levels < 1 || levels > MaxLevels) throw refusal(bytes, s"they have $levels levels")
    val start = FullPreamble + 4 * levels
    val itemBytes = width(domain)
    val retained = (bytes.length - start) / itemBytes - 2
    if (retained < 1 || start + (retained + 2) * itemBytes != bytes.length) throw wrongLength(in, domain)
    val weights = weightsOf(in, levels, retained, n, domain)
    val items = Array.tabulate(retained)(i => item(in, start + (i + 2) * itemBytes, domain))
    new PairSort().sort(items, weights, retained)
    val (least, greatest) = (item(in, start, domain), item(in, start + itemBytes, domain))
    if (least > items(0) || greatest < items(retained - 1))
      throw refusal(bytes, "some items are outside their minimum and maximum")
    val sketch = new KllBytes(minK, n, least, greatest, items, weights)
    if (sketch.isExact && (least != items(0) || greatest != items(retained - 1)))
      throw refusal(bytes, "they have all values, but not the least and the greatest")
    sketch
  }

  /** The weights of the items in stored order: 2^level. They must add up to n. */
  private def weightsOf(in: ByteBuffer, levels: Int, retained: Int, n: Long, domain: Domain): Array[Long] = {
    val weights = new Array[Long](retained)
    // the stored indexes refer to the library's array, whose free space precedes the first item
    val first = in.getInt(FullPreamble).toLong
    var sum = 0L
    var i = 0
    var level = 0
    while (level < levels) {
      val until =
        if (level == levels - 1) retained.toLong
        else in.getInt(FullPreamble + 4 * (level + 1)).toLong - first
      if (first < 0 || until < i || until > retained) throw wrongLength(in, domain)
      while (i < until) {
        weights(i) = 1L << level
        sum += weights(i)
        if (sum < 0 || sum > n) throw wrongLength(in, domain)
        i += 1
      }
      level += 1
    }
    if (sum != n) throw wrongLength(in, domain)
    weights
  }

  private def width(domain: Domain): Int = if (domain.kind == Kind.Float) 4 else 8

  private def item(in: ByteBuffer, at: Int, domain: Domain): Long = domain.kind match {
    case Kind.BigInt => in.getLong(at)
    case kind =>
      val value = if (kind == Kind.Float) in.getFloat(at).toDouble else in.getDouble(at)
      if (value.isNaN) throw refusal(in.array, s"an item is NaN, not a ${domain.sql}")
      DoubleKeys.key(value)
  }

  /** The bytes of a sketch without values. */
  def empty(k: Int): Array[Byte] = preamble(Preamble, Short, 1, IsEmpty, k).array

  /** The bytes of a sketch with values.
    *
    * @param minK  the k whose error the sketch claims
    * @param items the items of level 0, then those of level 1, and so on; ascending within each level
    * @param sizes the number of items of each level. An item of level l counts 2^l times
    */
  def write(
      domain: Domain,
      k: Int,
      minK: Int,
      n: Long,
      least: Long,
      greatest: Long,
      items: Array[Long],
      sizes: Array[Int]
  ): Array[Byte] =
    if (n == 1) {
      val out = preamble(Preamble + width(domain), Short, 2, IsSingle | IsLevelZeroSorted, k)
      put(out.position(Preamble), items(0), domain)
      out.array
    } else {
      val levels = sizes.length
      val length = FullPreamble + 4 * levels + (items.length + 2) * width(domain)
      val out = preamble(length, Full, 1, IsLevelZeroSorted, k)
      out.putLong(8, n).putShort(16, minK.toShort).put(18, levels.toByte).position(FullPreamble)
      var at = capacity(k, levels) - items.length
      sizes.foreach { size => out.putInt(at); at += size }
      put(out, least, domain)
      put(out, greatest, domain)
      items.foreach(put(out, _, domain))
      out.array
    }

  private def preamble(length: Int, ints: Int, version: Int, flags: Int, k: Int): ByteBuffer = {
    val out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN)
    out.put(ints.toByte).put(version.toByte).put(Family.toByte).put(flags.toByte)
    out.putShort(k.toShort).put(LeastCapacity.toByte)
  }

  /** The number of items that the library has room for. */
  def capacity(k: Int, levels: Int): Int =
    (0 until levels).map(depth => math.max(LeastCapacity, levelCapacity(k.toLong, depth))).sum

  /** k·(2/3)^depth, rounded as the library rounds it. */
  private def levelCapacity(k: Long, depth: Int): Int =
    if (depth > MostDepth) levelCapacity(levelCapacity(k, depth / 2).toLong, depth - depth / 2)
    else {
      val twice = (k << (depth + 1)) / powerOf3(depth)
      ((twice + 1) >> 1).toInt
    }

  private val MostDepth = 30

  private def powerOf3(exponent: Int): Long = Iterator.fill(exponent)(3L).product

  private def put(out: ByteBuffer, key: Long, domain: Domain): Unit = {
    domain.kind match {
      case Kind.Float => out.putFloat(DoubleKeys.value(key).toFloat)
      case Kind.Double => out.putDouble(DoubleKeys.value(key))
      case _ => out.putLong(key)
    }
    ()
  }

  private def wrongLength(in: ByteBuffer, domain: Domain): Refusal =
    refusal(
      in.array,
      s"their length does not fit the items of ${width(domain)} bytes that ${domain.sql} has. Name the type that it was built of: " +
        "'double', 'float' or 'bigint'; if it fits, they were cut off or changed. Items of INT can't be read: build the KLL sketch of BIGINT"
    )

  private def refusal(bytes: Array[Byte], reason: String): Refusal =
    Unreadable.bytes(bytes.length, "KLL sketch of Apache DataSketches", reason)
}
