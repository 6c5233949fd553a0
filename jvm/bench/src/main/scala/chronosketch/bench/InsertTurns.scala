package chronosketch.bench

/** Measures how many values per second of CPU time our sketch and KLL insert, also on a shared machine. Prints a table.
  *
  * Both take turns in one process, and the CPU time of the thread counts. [[InsertBenchmark]] uses the wall clock.
  */
object InsertTurns {
  private val Values = 10000000
  private val Sides = Seq("gk 1e-3", "gk 1e-4")
  private val Theirs = "kll 2000"

  private var seen = 0L

  /** Arguments: the number of rounds, and the inputs; by default all inputs. */
  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(0).toInt
    val inputs = if (arguments.length > 1) arguments.tail.toSeq else Inputs.Names
    println("| input | sides | ours, M/s | KLL's, M/s | times as fast |\n|---|---|---|---|---|")
    for (input <- inputs) {
      val values = Inputs(input, Values)
      for (side <- Sides) {
        // the first two rounds warm up the JIT compiler
        val times = Seq.fill(rounds + 2)((seconds(values, side), seconds(values, Theirs))).drop(2)
        val ratios = times.map { case (ours, kll) => kll / ours }.sorted
        val (ours, kll) = (speed(times.map(_._1)), speed(times.map(_._2)))
        println(
          f"| $input | $side / $Theirs | $ours%.1f | $kll%.1f | ${median(ratios)}%.2f (${ratios.head}%.2f–${ratios.last}%.2f) |"
        )
      }
    }
    if (seen == 0L) println("nothing was inserted")
  }

  private def seconds(values: Array[Double], side: String): Double = {
    val start = CpuTime.nanoseconds
    seen += Sketches.inserted(values, side)
    (CpuTime.nanoseconds - start) / 1e9
  }

  private def speed(seconds: Seq[Double]): Double = Values / median(seconds.sorted) / 1e6

  private def median(sorted: Seq[Double]): Double = sorted(sorted.size / 2)
}
