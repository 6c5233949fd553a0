package chronosketch.bench

import java.lang.management.ManagementFactory
import java.util.{Arrays, SplittableRandom}

/** The values that benchmarks insert: the same for both contestants, generated before the clock starts. */
object Inputs {
  val Names: Seq[String] = Seq("lognormal", "sorted", "reversed", "zigzag", "duplicates", "zipf")

  def apply(name: String, n: Int): Array[Double] = name match {
    case "lognormal" => lognormal(n, seed = 42L)
    case "sorted" => sorted(n)
    case "reversed" =>
      val ascending = sorted(n)
      Array.tabulate(n)(i => ascending(n - 1 - i))
    case "zigzag" =>
      // from both ends inwards: every value is between the two before it
      val ascending = sorted(n)
      Array.tabulate(n)(i => if (i % 2 == 0) ascending(i / 2) else ascending(n - 1 - i / 2))
    case "duplicates" =>
      val random = new SplittableRandom(43L)
      Array.fill(n)(random.nextInt(100).toDouble)
    case "zipf" => zipf(n)
  }

  def lognormal(n: Int, seed: Long): Array[Double] = {
    val random = new SplittableRandom(seed)
    Array.fill(n)(math.exp(gaussian(random)))
  }

  private def sorted(n: Int): Array[Double] = {
    val values = lognormal(n, seed = 42L)
    Arrays.sort(values)
    values
  }

  /** Whole numbers from 1 to a million by Zipf's law: the frequency of k is proportional to 1/k. */
  private def zipf(n: Int): Array[Double] = {
    val random = new SplittableRandom(44L)
    val distinct = 1000000
    val upTo = new Array[Double](distinct)
    var total = 0.0
    var k = 0
    while (k < distinct) { total += 1.0 / (k + 1); upTo(k) = total; k += 1 }
    Array.fill(n) {
      val at = Arrays.binarySearch(upTo, random.nextDouble() * total)
      (if (at >= 0) at else -at - 1) + 1.0
    }
  }

  /** A normal value by the Box–Muller method, which discards the second one. */
  private def gaussian(random: SplittableRandom): Double =
    math.sqrt(-2.0 * math.log(1.0 - random.nextDouble())) * math.cos(2.0 * math.Pi * random.nextDouble())
}

/** The CPU time of the current thread, which does not depend on other processes as the wall clock does. */
object CpuTime {
  private val threads = ManagementFactory.getThreadMXBean

  def nanoseconds: Long = threads.getCurrentThreadCpuTime
}

/** A repeated step of a benchmark: records the CPU time of the thread per row, in nanoseconds, and the bytes produced. */
private[bench] final class CpuStep(name: String) {
  private var found = Vector.empty[Double]
  var bytes = 0L

  def apply[A](rows: Long)(body: => A): A = {
    val start = CpuTime.nanoseconds
    val result = body
    found :+= (CpuTime.nanoseconds - start).toDouble / rows
    result
  }

  /** Prints the median as a line of JSON. */
  def printMedian(): Unit = println(
    f"""{"step": "$name", "ns_a_row": ${found.sorted.apply(found.size / 2)}%.1f, "bytes": $bytes}"""
  )
}
