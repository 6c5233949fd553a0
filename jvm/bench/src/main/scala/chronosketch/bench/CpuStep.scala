package chronosketch.bench

/** A step that is taken again and again: the nanoseconds of the thread's CPU a row of it, and the bytes that it made. */
private final class CpuStep(name: String) {
  private var found = Vector.empty[Double]
  var bytes = 0L

  def apply[A](rows: Long)(body: => A): A = {
    val start = CpuTime.nanoseconds
    val result = body
    found :+= (CpuTime.nanoseconds - start).toDouble / rows
    result
  }

  /** Prints the median, as a line of JSON. */
  def say(): Unit = println(
    f"""{"step": "$name", "ns_a_row": ${found.sorted.apply(found.size / 2)}%.1f, "bytes": $bytes}"""
  )
}
