package chronosketch.calibration

import java.lang.management.ManagementFactory

/** How much CPU time has this thread taken? What other threads take, also those of the JVM, does not count. */
private object CpuClock {
  private val threads = ManagementFactory.getThreadMXBean

  def now: Long = threads.getCurrentThreadCpuTime

  /** What a look at it takes. */
  lazy val look: Long = median(Array.fill(2001) {
    val before = now
    (now - before).toDouble
  }).toLong

  def median(values: Array[Double]): Double = {
    val sorted = values.sorted
    if (sorted.isEmpty) 0.0 else (sorted((sorted.length - 1) / 2) + sorted(sorted.length / 2)) / 2
  }
}
