package chronosketch.sort

import java.util.SplittableRandom

import chronosketch.domain.DoubleKeys

/** Inputs that are difficult for a sort by leading bits, as functions of the index of a key. */
object SortInputs {
  val sizes: Seq[Int] = Seq(0, 1, 2, 39, 40, 41, 48, 49, 64, 255, 1000, 4096, 50000)

  val all: Seq[(String, (SplittableRandom, Int) => Long)] = Seq(
    "any long" -> ((r, _) => r.nextLong()),
    "uniform doubles" -> ((r, _) => DoubleKeys.key(r.nextDouble())),
    "few values" -> ((r, _) => r.nextInt(7).toLong),
    "all equal" -> ((_, _) => -3L),
    "two far apart" -> ((r, _) => if (r.nextBoolean()) Long.MinValue else Long.MaxValue),
    "outliers" -> ((r, i) =>
      if (i % 50 == 0) DoubleKeys.NaN else if (i % 50 == 1) Long.MinValue else r.nextInt(1000).toLong
    ),
    "clusters in clusters" -> ((r, _) => r.nextLong() >>> r.nextInt(64)),
    "clusters at powers of two" -> ((r, i) => (1L << (i % 63)) + r.nextInt(3)),
    "ascending" -> ((_, i) => i.toLong),
    "descending" -> ((_, i) => -i.toLong),
    "sawtooth" -> ((_, i) => (i % 100).toLong),
    "two alternating runs that approach each other" -> ((_, i) => if (i % 2 == 0) i.toLong else 200000L - i),
    "two alternating runs that move apart" -> ((_, i) => if (i % 2 == 0) -i.toLong else i.toLong),
    "two alternating runs that rise in the same range" -> ((r, i) => i * 10L + r.nextInt(15)),
    "two alternating runs with outliers" -> ((r, i) =>
      if (i > 40 && r.nextInt(50) == 0) r.nextLong() else if (i % 2 == 0) i.toLong else Long.MaxValue - i
    ),
    "two alternating runs, then random keys" -> ((r, i) =>
      if (i > 100) r.nextLong() else if (i % 2 == 0) i.toLong else -i.toLong
    )
  )
}
