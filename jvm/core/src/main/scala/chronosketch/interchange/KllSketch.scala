package chronosketch.interchange

import java.nio.{ByteBuffer, ByteOrder}

import chronosketch.Refusal
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.rank.RankProfile
import chronosketch.sort.PairSort

/** Converts a KLL sketch of Apache DataSketches, such as Spark's `kll_sketch_agg_double` builds, to a sketch.
  *
  * Guarantee  for each question, a rank is within ε·n of the library's estimate with probability 99 %, where ε is the library's normalized
  *            rank error for its k. The least and the greatest value are exact. If all values were retained, everything is exact
  * Cost       a sort of the retained items
  * Units      keys of the requested type
  * Source     Karnin, Lang, Liberty, Optimal quantile approximation in streams, FOCS 2016; Apache DataSketches,
  *            KllSketch.getNormalizedRankError
  */
object KllSketch {

  /** The types that items can have. */
  val Types: Seq[Domain] = Seq(Domain.Double, Domain.Float, Domain.BigInt)

  private[interchange] val LeastK = 8

  /** The probability with which the library's bounds fail, for each question. */
  private val Delta = 0.01

  def read(bytes: Array[Byte], domain: Domain): ImportedSketch = {
    require(Types.contains(domain), s"items of type ${domain.sql}")
    val kll = KllBytes.read(bytes, domain)
    if (kll.n == 0) ImportedSketch(domain, 0.0, RankProfile.empty)
    else ImportedSketch(domain, if (kll.isExact) 0.0 else Delta, profile(kll))
  }

  /** The library's normalized rank error for single questions. */
  private[interchange] def normalizedRankError(k: Int): Double = 2.296 / math.pow(k.toDouble, 0.9723)

  private def profile(kll: KllBytes): RankProfile = {
    val error = if (kll.isExact) 0L else math.ceil(normalizedRankError(kll.k) * kll.n.toDouble).toLong
    val maxSize = kll.items.length + 2
    val keys, low, high = new Array[Long](maxSize)
    var size = 0
    def put(key: Long, estimate: Long): Unit = {
      keys(size) = key
      if (key == kll.greatest) {
        low(size) = kll.n
        high(size) = kll.n
      } else {
        // every key has the least value at or below it, and every key but the greatest has one above it
        low(size) = math.max(1L, estimate - error)
        high(size) = if (kll.n - 1 - estimate < error) kll.n - 1 else estimate + error
      }
      size += 1
    }
    if (kll.items(0) > kll.least) put(kll.least, 0L)
    var upTo = 0L
    var i = 0
    while (i < kll.items.length) {
      upTo += kll.weights(i)
      if (i + 1 == kll.items.length || kll.items(i + 1) != kll.items(i)) put(kll.items(i), upTo)
      i += 1
    }
    if (keys(size - 1) < kll.greatest) put(kll.greatest, kll.n)
    RankProfile.certain(size, keys, low, high, kll.n)
  }
}

/** The decoded bytes of a KLL sketch: its items with their weights, sorted by item.
  *
  * Guarantee  the weights add up to the count; bytes that are not such a sketch are refused
  * Cost       O(r log r) for r retained items; memory proportional to the number of bytes
  * Units      keys of the requested type
  * Source     Apache DataSketches, KllPreambleUtil: the compact form, which toByteArray writes in all languages
  *
  * The bytes do not say whether items of 8 bytes are DOUBLE or BIGINT: the caller must know.
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
  private val IsSingle = 4
  private val Preamble = 8
  private val FullPreamble = 20

  /** With more levels, weights would exceed 63 bits. */
  private val MaxLevels = 61

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

  private def wrongLength(in: ByteBuffer, domain: Domain): Refusal =
    refusal(
      in.array,
      s"their length does not fit the items of ${width(domain)} bytes that ${domain.sql} has. Name the type that it was built of: " +
        "'double', 'float' or 'bigint'; if it fits, they were cut off or changed"
    )

  private def refusal(bytes: Array[Byte], reason: String): Refusal =
    Unreadable.bytes(bytes.length, "KLL sketch of Apache DataSketches", reason)
}
