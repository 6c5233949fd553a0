package chronosketch.codec

import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.interchange.{
  ImportedExponentialHistogram,
  ImportedHistogram,
  ImportedSketch,
  KllExport,
  KllSketch,
  Limits
}
import chronosketch.quantile.QuantileRecipe
import chronosketch.summary.Summary

/** Imported sketches of other libraries: with certain and with probable bounds, of numbers and of times, merged. */
object StoredImports {
  private def limits(domain: Domain): Limits = Limits(domain, None, None, Conversion.text(_, domain))

  private def buckets: ImportedSketch = ImportedHistogram.of(
    Array(0.005, 0.01, 0.1, 1.0, 10.0).map(DoubleKeys.key),
    Array(0L, 7L, 900L, 80L, 0L, 3L),
    limits(Domain.Double)
  )

  /** A KLL sketch of the squares of 0 to 4999. It is written, not drawn, so its bytes are always the same. */
  private def kll: ImportedSketch = {
    val s = QuantileRecipe(Domain.Double, 0.01).empty
    (0 until 5000).foreach(i => s.insert(DoubleKeys.key(i.toDouble * i)))
    KllSketch.read(KllExport.write(s, Some(50)), Domain.Double)
  }

  val all: Seq[(String, Summary)] = Seq(
    "imported_empty" -> ImportedHistogram.of(Array(1L), Array(0L, 0L), limits(Domain.Timestamp)),
    "imported_histogram" -> buckets,
    "imported_every_long" -> ImportedHistogram.of(
      Array(Long.MinValue, 0L, Long.MaxValue),
      Array(1L << 40, 5L, 6L, 0L),
      limits(Domain.BigInt)
    ),
    "imported_exponential" -> ImportedExponentialHistogram.of(
      3,
      4L,
      ImportedExponentialHistogram.Side(-5, Array(1L, 0L, 70L, 9L)),
      ImportedExponentialHistogram.Side(2, Array(3L)),
      0.0,
      limits(Domain.Double)
    ),
    "imported_confident" -> ImportedSketch(Domain.Double, 0.01, buckets.profile),
    "imported_merged" -> {
      val s = ImportedSketch(Domain.Double, 0.01, buckets.profile)
      s.merge(buckets)
      s
    },
    "imported_kll" -> kll,
    "imported_open_buckets" -> buckets,
    "imported_kll_and_buckets" -> {
      val s = kll
      s.merge(buckets)
      s
    }
  )
}
