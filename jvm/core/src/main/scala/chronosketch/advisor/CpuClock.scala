package chronosketch.advisor

import java.lang.management.ManagementFactory

/** The CPU time of the current thread, without that of other threads such as those of the JVM. */
private object CpuClock {
  private val threads = ManagementFactory.getThreadMXBean

  def now: Long = threads.getCurrentThreadCpuTime

  /** The time that one reading of the clock takes. */
  lazy val readTime: Long = median(Array.fill(2001) {
    val before = now
    (now - before).toDouble
  }).toLong

  def median(values: Array[Double]): Double = {
    val sorted = values.sorted
    if (sorted.isEmpty) 0.0 else (sorted((sorted.length - 1) / 2) + sorted(sorted.length / 2)) / 2
  }
}
