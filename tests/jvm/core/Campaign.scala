package chronosketch

import java.util.concurrent.TimeUnit

import scala.collection.mutable
import scala.util.control.NonFatal

/** Many cases by a command, each from a number: how many there are, which is the first, and the seed. It says now and then how far it
  * is, and at the end what it counted, as one line of JSON that `benchmarks/robustness.py` keeps. It fails where a case did.
  */
object Campaign {
  val Seed = 20261124L

  /** No case may take longer. */
  val Limit: Long = TimeUnit.SECONDS.toNanos(20)

  /** From the seed of a case to that of the next. */
  val Apart = 0x9e3779b97f4a7c15L

  private val MostShown = 20

  def cases(arguments: Array[String]): Long = arguments.headOption.fold(10000L)(_.toLong)
  def first(arguments: Array[String]): Long = arguments.drop(1).headOption.fold(0L)(_.toLong)
  def seed(arguments: Array[String]): Long = arguments.drop(2).headOption.fold(Seed)(_.toLong)

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
        // a want of memory or of stack is what is looked for
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

  /** Ends all where a case hangs. */
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
        Console.err.println(s"$name, case $number: no end in sight")
        Runtime.getRuntime.halt(2)
      }
    }
  }
}

/** How often each of some things happened. */
final class Counts {
  private val counts = mutable.TreeMap.empty[String, Long]

  def add(what: String): Unit = counts(what) = counts.getOrElse(what, 0L) + 1

  def json: String = Counts.json(counts.toSeq.map { case (what, n) => what -> n.toString })
}

object Counts {

  /** Of names, which have no quotes, and what is JSON already. */
  def json(entries: Seq[(String, String)]): String =
    entries.map { case (name, value) => s"${text(name)}: $value" }.mkString("{", ", ", "}")

  def text(of: String): String = "\"" + of + "\""
}
