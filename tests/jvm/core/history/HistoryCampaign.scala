package chronosketch.history

/** Checks random histories against exact ones: `./sbt "core/Test/runMain chronosketch.history.HistoryCampaign 100000"`, optionally
  * followed by the first seed. Fails on a violation.
  */
object HistoryCampaign {
  def main(arguments: Array[String]): Unit = {
    val n = arguments.headOption.fold(1000)(_.toInt)
    val first = arguments.drop(1).headOption.fold(1000000L)(_.toLong)
    var found, trees = 0L
    (0 until n).foreach { i =>
      val history = new RandomHistory(first + i, maxVersions = 200)
      val sketch = history.build()
      trees += sketch.trees
      val violations = history.violations(sketch, asked = 8)
      violations.take(3).foreach(Console.err.println)
      found += violations.size
      if ((i + 1) % 10000 == 0) println(s"${i + 1} histories, $trees trees and logs, $found violations")
    }
    println(s"$n histories from seed $first on, $trees trees and logs, $found violations")
    if (found > 0) sys.exit(1)
  }
}
