package chronosketch.bench.history

import java.util.SplittableRandom

/** The changes of the paper's experiments (Tao, Yi, Sheng, Pei, Li 2010, §4.2): 100 000 uniform values at the first version, then a
  * million changes, one per version. Inserts are `ratio` times as likely as deletes, which delete a random value. Values inserted in the
  * first half are Gaussian, in the second half uniform.
  *
  * @param drifting whether values increase and the oldest is deleted, which the paper does not test
  */
final class PaperChanges(
    ratio: Int,
    seed: Long,
    drifting: Boolean = false,
    val first: Int = 100000,
    later: Int = 1000000,
    domain: Long = 1L << 30
) extends Changes {
  val changes: Array[Long] = {
    val random = new SplittableRandom(seed)
    val gaussian = new java.util.Random(seed)
    val all = new Array[Long](first + later)
    val alive = new Array[Long](first + later)
    var n = 0
    var oldest = 0
    all.indices.foreach { i =>
      if (i < first || random.nextInt(ratio + 1) > 0 || n == oldest) {
        all(i) =
          if (drifting) i * 1000L + random.nextInt(1000)
          else if (i < first || i >= first + later / 2) 1 + random.nextLong(domain)
          else near(gaussian)
        alive(n) = all(i)
        n += 1
      } else if (drifting) {
        all(i) = ~alive(oldest)
        oldest += 1
      } else {
        val at = random.nextInt(n)
        all(i) = ~alive(at)
        n -= 1
        alive(at) = alive(n)
      }
    }
    all
  }

  private def near(gaussian: java.util.Random): Long = {
    var value = 0L
    while (value < 1 || value > domain)
      value = math.round(domain / 2.0 + domain * gaussian.nextGaussian())
    value
  }
}
