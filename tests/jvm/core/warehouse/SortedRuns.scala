package chronosketch.warehouse

import java.util.{Arrays, SplittableRandom}

import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary.{Distributions, ExactBag}

/** Random runs of every shape, in memory. Reads of their keys are counted. */
final class SortedRuns(val keys: IndexedSeq[Array[Long]], epsilon: Double) {
  var rowsRead = 0L
  var passes = 0

  val known: IndexedSeq[KnownRanks] =
    keys.map(run => KnownRanks.of(SortedRuns.samples(run, epsilon).sketch(Domain.BigInt)))

  def all: ExactBag = ExactBag.of(keys.flatten.toArray)

  /** Reads what a search needs until it needs nothing more. */
  def answer(search: Search): Unit = {
    var reads = search.nextReads
    while (reads.nonEmpty) {
      passes += 1
      rowsRead += reads.map(_.stretch.length).sum
      search.learn(reads.map(a => a -> read(a)))
      reads = search.nextReads
    }
  }

  private def read(a: RunStretch): Array[Long] =
    Arrays.copyOfRange(keys(a.run), a.stretch.from.toInt - 1, a.stretch.until.toInt - 1)
}

object SortedRuns {
  def samples(run: Array[Long], epsilon: Double): RunSamples = {
    val samples = new RunSamples(epsilon)
    run.foreach(samples.add)
    samples
  }

  def sorted(keys: Array[Long]): Array[Long] = { Arrays.sort(keys); keys }

  /** Up to seven runs of up to `maxKeys` keys; some are empty, some have one element, some have another distribution. */
  def random(seed: Long, maxKeys: Int, epsilon: Double): SortedRuns = {
    val random = new SplittableRandom(seed)
    val shapes = Distributions.all.filter(_.domain == Domain.BigInt)
    val usual = shapes(random.nextInt(shapes.size))
    val runs = IndexedSeq.fill(1 + random.nextInt(7)) {
      val n = random.nextInt(6) match {
        case 0 => random.nextInt(3)
        case 1 => random.nextInt(100)
        case _ => random.nextInt(maxKeys)
      }
      val shape = if (random.nextInt(4) == 0) shapes(random.nextInt(shapes.size)) else usual
      sorted(shape.sample(n, random.nextLong()))
    }
    new SortedRuns(runs, epsilon)
  }

  def live(seed: Long, maxKeys: Int, epsilon: Double): (GreenwaldKhanna, Array[Long]) = {
    val random = new SplittableRandom(seed)
    val shapes = Distributions.all.filter(_.domain == Domain.BigInt)
    val keys = shapes(random.nextInt(shapes.size)).sample(random.nextInt(maxKeys), random.nextLong())
    val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon)
    sketch.insertAll(keys, 0, keys.length)
    (sketch, keys)
  }
}
