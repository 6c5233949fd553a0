package chronosketch.codec

import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.interchange.{ImportedExponentialHistogram, ImportedHistogram, ImportedSketch, Limits}
import chronosketch.summary.Summary

/** Imported sketches of other libraries: with certain and with probable bounds, of numbers and of times, merged. */
object StoredImports {
  private def limits(domain: Domain): Limits = Limits(domain, None, None, Conversion.text(_, domain))

  private def buckets: ImportedSketch = ImportedHistogram.of(
    Array(0.005, 0.01, 0.1, 1.0, 10.0).map(DoubleKeys.key),
    Array(0L, 7L, 900L, 80L, 0L, 3L),
    limits(Domain.Double)
  )

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
    }
  )
}
