package chronosketch.imported

import java.nio.{ByteBuffer, ByteOrder}

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.sort.PairSort

/** What do the bytes of a KLL sketch have in them?
  *
  * Guarantee  each item with its weight, items in order; weights add up to the count, and nothing else is taken for a sketch
  * Cost       O(r log r) for r items kept; memory as the bytes explain it
  * Units      keys of the type asked for
  * Source     Apache DataSketches, KllPreambleUtil: the compact form, which is what toByteArray writes in every language it exists in
  *
  * The bytes do not say whether items are of 8 bytes of DOUBLE or BIGINT: who reads them must know.
  */
private[imported] final class KllBytes private (
    val k: Int,
    val n: Long,
    val least: Long,
    val greatest: Long,
    val items: Array[Long],
    val weights: Array[Long]
) {

  /** Whether nothing is lost: nothing was thrown away, or all values are one. */
  def isWhole: Boolean = items.length == n || least == greatest
}

private[imported] object KllBytes {
  private val Family = 15
  private val Short = 2
  private val Full = 5
  private val IsEmpty = 1
  private val IsSingle = 4
  private val Preamble = 8
  private val FullPreamble = 20

  /** More would weigh more than a number of 63 bits counts. */
  private val MostLevels = 61

  private val empty =
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
        empty
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
    if (levels < 1 || levels > MostLevels) throw refusal(bytes, s"they have $levels levels")
    val start = FullPreamble + 4 * levels
    val wide = width(domain)
    val kept = (bytes.length - start) / wide - 2
    if (kept < 1 || start + (kept + 2) * wide != bytes.length) throw wrongLength(in, domain)
    val weights = weightsOf(in, levels, kept, n, domain)
    val items = Array.tabulate(kept)(i => item(in, start + (i + 2) * wide, domain))
    new PairSort().sort(items, weights, kept)
    val (least, greatest) = (item(in, start, domain), item(in, start + wide, domain))
    if (least > items(0) || greatest < items(kept - 1))
      throw refusal(bytes, "some items are outside their minimum and maximum")
    val sketch = new KllBytes(minK, n, least, greatest, items, weights)
    if (sketch.isWhole && (least != items(0) || greatest != items(kept - 1)))
      throw refusal(bytes, "they have all values, but not the least and the greatest")
    sketch
  }

  /** What each item stands for, as they lie there: 2 to the level. Together they are all values. */
  private def weightsOf(in: ByteBuffer, levels: Int, kept: Int, n: Long, domain: Domain): Array[Long] = {
    val weights = new Array[Long](kept)
    // the array they were in ended with them, so that the first index tells where it did
    val first = in.getInt(FullPreamble).toLong
    var sum = 0L
    var i = 0
    var level = 0
    while (level < levels) {
      val until =
        if (level == levels - 1) kept.toLong
        else in.getInt(FullPreamble + 4 * (level + 1)).toLong - first
      if (first < 0 || until < i || until > kept) throw wrongLength(in, domain)
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

  private def wrongLength(in: ByteBuffer, domain: Domain): Refusal =
    refusal(
      in.array,
      s"their length does not fit the items of ${width(domain)} bytes that ${domain.sql} has. Name the type that it was built of: " +
        "'double', 'float' or 'bigint'; if it fits, they were cut off or changed"
    )

  private def refusal(bytes: Array[Byte], reason: String): Refusal =
    Unreadable.bytes(bytes.length, "KLL sketch of Apache DataSketches", reason)
}
