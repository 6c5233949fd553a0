package chronosketch.interchange.datadog

import chronosketch.Refusal
import chronosketch.ddsketch.{DDSketch, ExportedBins}
import chronosketch.domain.{Domain, DoubleKeys, Kind}
import chronosketch.interchange.{HistogramBuckets, ImportedSketch, Limits, Unreadable}

/** Reads DDSketches of Datadog's libraries, and writes ours for these libraries.
  *
  * Guarantee  read: rank bounds that hold wherever in its bin each value is, if no bins were collapsed other than stated; answers within the
  *            library's alpha, relative to the value; written: the library's answers are within alpha
  * Cost       O(bins)
  * Units      doubles
  * Source     DDSketch.proto of sketches-java; Masson, Rim, Lee, DDSketch, VLDB 2019
  */
object DatadogSketch {

  /** Reads a sketch as an [[ImportedSketch]]. The bins do not contain the exact least and greatest value, which a sketch of family 6 needs.
    *
    * @param collapsed at which end of the magnitudes the store may have collapsed bins because it had a limited number of them
    */
  def read(bytes: Array[Byte], library: Library, limits: Limits, collapsed: Collapsed): ImportedSketch = {
    require(limits.domain == Domain.Double, s"limits of type ${limits.domain.sql}")
    val message = DatadogMessage.read(bytes)
    val stores = Seq(message.positive, message.negative)
    val buckets = new HistogramBuckets(limits, stores.map(_.indexes.length).sum + 1)
    if (stores.exists(_.indexes.nonEmpty)) {
      val mapping = DatadogMapping.of(message.gamma, message.indexOffset, message.interpolation, library)
        .getOrElse(throw refusal(
          bytes.length,
          s"their mapping is unknown: gamma ${message.gamma}, offset ${message.indexOffset}, interpolation ${message.interpolation}"
        ))
      def add(store: DatadogMessage.Store, i: Int, isNegative: Boolean): Unit = {
        val index = store.indexes(i)
        if (!mapping.holds(index)) throw refusal(bytes.length, s"no DOUBLE lies in their bin $index")
        val low = if (i == 0 && collapsed == Collapsed.Lowest) 0.0 else mapping.low(index)
        val isOpen = i == store.indexes.length - 1 && collapsed == Collapsed.Highest
        val high = if (isOpen) Double.PositiveInfinity else mapping.high(index)
        def name = s"bin $index of the ${if (isNegative) "negative" else "positive"} values"
        buckets.addMagnitudes(low, high, mapping.value(index), isNegative, store.counts(i), name)
      }
      message.negative.indexes.indices.reverse.foreach(add(message.negative, _, isNegative = true))
      addZeros(buckets, message.zeros)
      message.positive.indexes.indices.foreach(add(message.positive, _, isNegative = false))
    } else addZeros(buckets, message.zeros)
    buckets.sketch
  }

  /** Adds the zero bin. The library counts values too small for a bin as 0. */
  private def addZeros(buckets: HistogramBuckets, count: Long): Unit =
    buckets.add(DoubleKeys.key(0.0), DoubleKeys.key(0.0), None, count, "the zero bin")

  def write(sketch: DDSketch, library: Library): Array[Byte] = {
    val domain = sketch.domain
    if (domain.kind == Kind.Decimal && domain.second > 0)
      throw notExportable(s"values of type ${domain.sql}")
    val bins: ExportedBins = sketch.exportedBins
    if (bins.special > 0) throw notExportable(s"${bins.special} values that are NaN or infinite")
    def store(indexes: Array[Int], counts: Array[Long]): DatadogMessage.Store = library match {
      case Library.Java => DatadogMessage.Store(indexes, counts)
      case Library.Python => DatadogMessage.Store(indexes.map(_ + 1), counts)
    }
    val gamma = library match {
      case Library.Java => bins.gamma
      case Library.Python => (1 + bins.alpha) / (1 - bins.alpha)
    }
    DatadogMessage.write(
      DatadogMessage(
        gamma,
        0.0,
        interpolation = 3,
        store(bins.positive, bins.positiveCounts),
        store(bins.negative, bins.negativeCounts),
        bins.zeros
      ),
      denseOnly = library == Library.Python
    )
  }

  private def notExportable(what: String): Refusal =
    Refusal("CHRONOSKETCH_NOT_EXPORTABLE", "format" -> Format, "what" -> what, "fix" -> Fix)

  private val Format = "DDSketch of Datadog"
  private val Fix = "Leave them out before ddsketch_agg. Cast decimals to DOUBLE"

  private[datadog] def refusal(length: Int, reason: String): Refusal =
    Unreadable.bytes(length, Format, reason)
}

/** The library that wrote or will read the bytes. All use the same message, but Python interprets its mapping differently. */
sealed abstract class Library(val name: String)

object Library {

  /** sketches-java and sketches-go. */
  case object Java extends Library("java")

  /** sketches-py, `ddsketch` on PyPI. */
  case object Python extends Library("python")

  val all: Seq[Library] = Seq(Java, Python)
  def named(name: String): Option[Library] = all.find(_.name == name)
}

/** Names the bins of a sketch that may contain values of other bins, because the store had a limited number of bins. */
sealed abstract class Collapsed(val name: String)

object Collapsed {
  case object Nowhere extends Collapsed("none")

  /** The bins of the least magnitudes, of either sign. */
  case object Lowest extends Collapsed("lowest")

  /** The bins of the greatest magnitudes, of either sign. */
  case object Highest extends Collapsed("highest")

  val all: Seq[Collapsed] = Seq(Nowhere, Lowest, Highest)
  def named(name: String): Option[Collapsed] = all.find(_.name == name)
}
