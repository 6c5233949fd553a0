package chronosketch.bench.tails

import java.util.{Arrays, SplittableRandom}

import chronosketch.bench.CpuTime
import chronosketch.rank.Phi

/** Compares sketches far in the tail: rank errors, value errors, bytes and speed. Prints a JSON object per line. Arguments: the number of
  * rows, and of rounds.
  *
  * All sketches get the same batches of floats, in turns, on one thread; its CPU time counts. REQ and KLL have the k that gives them about
  * the bytes of the sketch with a tail.
  */
object TailFigures {
  private val Phis = Seq(0.99, 0.999, 0.9999, 0.99999)
  private val Batch = 1000000

  def main(arguments: Array[String]): Unit = {
    val rows = arguments(0).toLong
    val rounds = arguments(1).toInt
    for (input <- Seq(Lognormal, Pareto)) {
      val same = Contestant.Names.filter(Contestant.isOfSameBytes).map(name =>
        name -> sameBytes(input, rows, name)
      ).toMap
      // the first round warms up the JIT compiler
      for (round <- 0 to rounds) {
        val found = new Round(input, rows, round.toLong, Contestant.Names, same(_))
        if (round > 0) found.print(round)
      }
    }
  }

  /** The k that gives a sketch about the bytes of the sketch with a tail. They are not proportional to k, so it takes several tries. */
  private def sameBytes(input: Input, rows: Long, name: String): Int = {
    def bytes(of: String, k: Int): Int = new Round(input, rows, 0L, Seq(of), _ => k).bytes(of)
    val wanted = bytes(Contestant.Names.head, 0).toDouble
    (1 to Tries).foldLeft(FirstK)((k, _) => Contestant.allowed(name, k * wanted / bytes(name, k)))
  }

  private val FirstK = 50
  private val Tries = 3

  private sealed abstract class Input(val name: String) {
    def value(random: SplittableRandom): Float

    /** No answer at the quantiles should be below this value; 5 % of the rows are above. */
    def beginOfTail: Float
  }

  private object Lognormal extends Input("lognormal") {
    def value(random: SplittableRandom): Float = math.exp(
      math.sqrt(-2.0 * math.log(1.0 - random.nextDouble())) * math.cos(2.0 * math.Pi * random.nextDouble())
    ).toFloat
    def beginOfTail: Float = math.exp(1.645).toFloat
  }

  /** Twice the value is a quarter as likely. */
  private object Pareto extends Input("pareto") {
    def value(random: SplittableRandom): Float = (1 / math.sqrt(1.0 - random.nextDouble())).toFloat
    def beginOfTail: Float = math.sqrt(20.0).toFloat
  }

  /** Fills sketches with the same rows. */
  private final class Round(input: Input, rows: Long, seed: Long, names: Seq[String], k: String => Int) {
    private val sketches = names.map(name =>
      name -> Contestant.of(name, if (Contestant.isOfSameBytes(name)) k(name) else 0)
    )
    private val nanos = Array.fill(sketches.size)(0L)

    // the values from the beginning of the tail on, sorted
    private val tail = new Array[Float]((rows / 16).toInt + Batch)
    private var inTail = 0

    /** The bytes of each sketch. */
    val bytes: Map[String, Int] = fill()

    private def fill(): Map[String, Int] = {
      val random = new SplittableRandom(seed)
      val batch = new Array[Float](Batch)
      var left = rows
      while (left > 0) {
        val values = if (left >= Batch) batch else new Array[Float](left.toInt)
        var i = 0
        while (i < values.length) { values(i) = input.value(random); i += 1 }
        values.foreach(keepInTail(_))
        for (((_, sketch), at) <- sketches.zipWithIndex) timed(at)(sketch.insert(values))
        left -= values.length
      }
      Arrays.sort(tail, 0, inTail)
      // summarising what is buffered counts, too
      sketches.zipWithIndex.map { case ((name, sketch), at) => name -> timed(at)(sketch.bytes) }.toMap
    }

    private def keepInTail(value: Float): Unit = if (value >= input.beginOfTail) {
      tail(inTail) = value
      inTail += 1
    }

    private def timed[A](at: Int)(body: => A): A = {
      val start = CpuTime.nanoseconds
      val result = body
      nanos(at) += CpuTime.nanoseconds - start
      result
    }

    def print(round: Int): Unit = for (((name, sketch), at) <- sketches.zipWithIndex) {
      val parameter = if (Contestant.isOfSameBytes(name)) s"$name ${k(name)}" else name
      val rate = rows * 1e3 / nanos(at)
      val answers = Phis.map(phi => answer(phi, sketch)).mkString("[", ", ", "]")
      println(
        s"""{"input": "${input.name}", "rows": $rows, "round": $round, "sketch": "$parameter", "bytes": ${bytes(
            name
          )}, "M rows a second": $rate, "answers": $answers}"""
      )
    }

    private def answer(phi: Double, sketch: Contestant): String = {
      val value = sketch.quantile(phi)
      val rank = Phi(phi).rank(rows)
      val mass = rows - rank + 1
      val exact = tail((inTail - mass).toInt).toDouble
      // the answer has the ranks from `first` until `end`, if it is a value of the rows
      val first = rows - inTail + countBelow(value) + 1
      val end = rows - inTail + countBelow(Math.nextUp(value)) + 1
      val off = math.max(0L, math.max(first - rank, rank - math.max(first, end - 1)))
      val certified = sketch.certified(phi)
      val shown = if (certified.isNaN) "null" else certified.toString
      s"""{"phi": $phi, "rank error": ${off.toDouble / mass}, "value error": ${math.abs(
          value - exact
        ) / exact}, "certified": $shown}"""
    }

    /** The number of values of the tail that are less. */
    private def countBelow(value: Double): Int = {
      var low = 0
      var high = inTail
      while (low < high) {
        val middle = (low + high) >>> 1
        if (tail(middle) < value) low = middle + 1 else high = middle
      }
      low
    }
  }
}
