package chronosketch.bench

/** A repeated step of a benchmark: records the CPU time of the thread per row, in nanoseconds, and the bytes produced. */
private final class CpuStep(name: String) {
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
