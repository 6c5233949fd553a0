package chronosketch

import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.util.control.NonFatal

import chronosketch.codec.SplitMix64

/** Runs many numbered test cases. The arguments are the number of cases, the number of the first case, and the seed. Prints progress,
  * and at the end its counts as one line of JSON, which `benchmarks/robustness.py` stores. Fails if a case fails.
  */
object Campaign {
  val Seed = 20261124L

  /** The longest time that a case may take. */
  val Limit: Long = TimeUnit.SECONDS.toNanos(20)

  private val MostShown = 20

  def cases(arguments: Array[String]): Long = arguments.headOption.fold(10000L)(_.toLong)
  def first(arguments: Array[String]): Long = arguments.drop(1).headOption.fold(0L)(_.toLong)
  def seed(arguments: Array[String]): Long = arguments.drop(2).headOption.fold(Seed)(_.toLong)

  /** The seed of a case: a number of the campaign's own stream. Were it a place in that stream, a case that draws from a generator
    * with this seed would draw the numbers of the case before it, shifted by one.
    */
  def seedOf(seed: Long, number: Long): Long = SplitMix64.mix(seed + number * SplitMix64.Gamma)

  def run(
      name: String,
      arguments: Array[String]
  )(one: Long => Unit)(found: => Seq[(String, String)]): Unit = {
    val (from, n) = (first(arguments), cases(arguments))
    val watch = new Watch(name)
    val started = System.nanoTime()
    var failures, slowest = 0L
    var i = from
    while (i < from + n) {
      val before = System.nanoTime()
      watch.begin(i, before)
      try one(i)
      catch {
        // out of memory and stack overflow count as failures, too
        case e: Throwable if NonFatal(e) || e.isInstanceOf[VirtualMachineError] =>
          failures += 1
          if (failures <= MostShown) show(s"$name, case $i", e)
      }
      slowest = math.max(slowest, System.nanoTime() - before)
      i += 1
      if ((i - from) % math.max(1L, n / 20) == 0) {
        val seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started)
        println(s"$name: ${i - from} of $n cases in $seconds s, $failures failures")
      }
    }
    watch.end()
    val seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started)
    val all = Seq(
      "campaign" -> Counts.text(name),
      "seed" -> seed(arguments).toString,
      "first" -> from.toString,
      "cases" -> n.toString,
      "failures" -> failures.toString,
      "seconds" -> seconds.toString,
      "java" -> Counts.text(
        s"${System.getProperty("java.vm.name")} ${System.getProperty("java.vm.version")}"
      ),
      "slowest case, ms" -> TimeUnit.NANOSECONDS.toMillis(slowest).toString
    ) ++ found
    println(Counts.json(all))
    if (failures > 0) sys.exit(1)
  }

  private def show(what: String, e: Throwable): Unit = {
    Console.err.println(s"$what: $e")
    e.getStackTrace.iterator.filter(_.getClassName.startsWith("chronosketch")).take(8).foreach { at =>
      Console.err.println(s"    at $at")
    }
  }

  /** Stops the JVM if a case takes too long. */
  private final class Watch(name: String) {
    @volatile private var current = -1L
    @volatile private var since = 0L
    private val thread = new Thread(() => look(), "watch")
    thread.setDaemon(true)
    thread.start()

    def begin(number: Long, now: Long): Unit = {
      since = now
      current = number
    }

    def end(): Unit = current = -1L

    private def look(): Unit = while (true) {
      Thread.sleep(1000)
      val number = current
      if (number >= 0 && System.nanoTime() - since > Limit && number == current) {
        Console.err.println(s"$name, case $number: takes too long")
        Runtime.getRuntime.halt(2)
      }
    }
  }
}

/** Counts events by name. */
final class Counts {
  private val counts = mutable.TreeMap.empty[String, Long]

  def add(what: String): Unit = counts(what) = counts.getOrElse(what, 0L) + 1

  def json: String = Counts.json(counts.toSeq.map { case (what, n) => what -> n.toString })
}

object Counts {

  /** A JSON object. The names must not contain quotes, and the values must be JSON. */
  def json(entries: Seq[(String, String)]): String =
    entries.map { case (name, value) => s"${text(name)}: $value" }.mkString("{", ", ", "}")

  def text(name: String): String = "\"" + name + "\""
}
