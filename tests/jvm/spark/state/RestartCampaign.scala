package chronosketch.spark.state

import scala.util.Random

import chronosketch.spark.SparkSuite

/** Restarts streams with random changes of the query. A stream must continue with the answers of a table, or be refused with a named
  * condition. A compatible query must continue. Run it with `./sbt "spark/Test/runMain chronosketch.spark.state.RestartCampaign 300"`.
  * The arguments are the number of cases, the first case and the seed.
  */
object RestartCampaign extends Restarts {
  import Restarts._

  private val values = Seq("v", "w", "v + 1")
  private val functions: Seq[String => String] = Seq(
    x => s"approx_quantile($x, 0.5)",
    x => s"approx_quantile($x, array(0.1, 0.9), 0.002)",
    x => s"approx_quantile($x, 0.5, 0.001)",
    x => s"sketch_count(quantile_sketch_agg($x))",
    x => s"sketch_count(moments_agg($x))",
    x => s"sketch_max(ddsketch_agg($x))",
    x => s"sketch_count(window_sketch_agg($x, ts))",
    x => s"sum($x)",
    x => s"min($x)",
    x => s"max($x)",
    x => s"avg($x)",
    x => s"count($x)"
  )
  private val filters = Seq("", "", "", " FILTER (WHERE v % 3 = 0)", " FILTER (WHERE w > 20)")

  private def one[A](choices: Seq[A])(implicit random: Random): A = choices(random.nextInt(choices.size))

  private def aggregate()(implicit random: Random): String = {
    val call = one(functions)(random)(one(values))
    // a FILTER belongs directly behind the aggregate, inside of a function that queries it
    val filter = one(filters)
    if (call.startsWith("sketch_")) call.dropRight(1) + filter + ")" else call + filter
  }

  private def query()(implicit random: Random): Query = {
    val store = one(Seq(RocksDb, RocksDb, OnHeap))
    val isHopping = random.nextInt(3) > 0
    Query(
      Seq.fill(1 + random.nextInt(3))(aggregate()),
      s"${one(Seq(2, 4, 6, 8))} minutes",
      s"${one(Seq(1, 2))} minutes",
      one(Seq(Nil, Seq("host"), Seq("site"), Seq("host", "site"))),
      mode = if (isHopping && store == OnHeap) "append" else one(Seq("append", "update")),
      store = store,
      isHopping = isHopping
    )
  }

  /** A random change: its name, whether the stream must continue, and the changed query. */
  private def change(q: Query)(implicit random: Random): (String, Boolean, Query) = {
    val at = random.nextInt(q.aggs.size)
    val changes = Seq[() => (String, Boolean, Query)](
      () => ("none", true, q),
      () => ("phi", true, q.copy(aggs = q.aggs.map(_.replace("0.5", "0.75").replace("0.755", "0.5")))),
      () => ("delay", true, q.copy(delay = "3 minutes")),
      () => ("partitions", true, q.copy(partitions = 3)),
      () =>
        (
          "greater epsilon",
          true,
          q.copy(aggs = q.aggs.map(_.replace("0.002)", "0.003)").replace("0.001)", "0.0015)")))
        ),
      () => ("aggregate added", false, q.copy(aggs = q.aggs :+ aggregate())),
      () =>
        ("aggregate removed", false, if (q.aggs.size == 1) q else q.copy(aggs = q.aggs.patch(at, Nil, 1))),
      () => ("aggregate replaced", false, q.copy(aggs = q.aggs.updated(at, aggregate()))),
      () => ("aggregates reversed", false, q.copy(aggs = q.aggs.reverse)),
      () => ("size", false, q.copy(size = one(Seq("2 minutes", "4 minutes", "6 minutes")))),
      () => ("slide", false, q.copy(slide = one(Seq("1 minute", "2 minutes")))),
      () => ("keys", false, q.copy(by = one(Seq(Nil, Seq("host"), Seq("site"), Seq("site", "host"))))),
      () => ("mode", false, q.copy(mode = if (q.mode == "append") "update" else "append")),
      () => ("store", false, q.copy(store = if (q.store == RocksDb) OnHeap else RocksDb)),
      () => ("operator", false, q.copy(isHopping = !q.isHopping)),
      () => ("all", false, query())
    )
    one(changes).apply()
  }

  /** The result of a case. */
  final case class Outcome(change: String, result: String, failure: Option[String])

  def run(seed: Long): Outcome = {
    implicit val random: Random = new Random(seed * 0x9e3779b97f4a7c15L + 1)
    val before = query()
    val (name, mustGoOn, after) = change(before)
    val stream = new Stream
    def failed(why: String) = Some(s"case $seed, $name: $before, then $after: $why")
    stream.run(before, Seq(Events.first)) match {
      case Left(e) => Outcome(name, "never started", failed(e.toString))
      case Right(made) =>
        stream.run(after, Seq(Events.second, Events.last)) match {
          case Left(e) =>
            val by = condition(e)
            val isNamed =
              by.matches("[A-Z][A-Z_]+(\\.[A-Z_]+)?") && by != "INTERNAL_ERROR" && by != "STREAM_FAILED"
            Outcome(name, by, if (mustGoOn || !isNamed) failed(e.toString) else None)
          case Right(rest) =>
            // Spark does not check the output mode of its aggregations: after a change some windows are repeated or missing
            val differing = if (before.mode == after.mode) differences(after, made, rest) else Nil
            Outcome(
              name,
              if (differing.isEmpty) "went on" else "wrong",
              if (differing.isEmpty) None else failed(differing.take(3).toString)
            )
        }
    }
  }

  def main(arguments: Array[String]): Unit = {
    def argument(i: Int, default: Int): Int = arguments.lift(i).fold(default)(_.toInt)
    val (cases, first, seed) = (argument(0, 100), argument(1, 0), argument(2, 1))
    val begun = System.nanoTime
    val outcomes = (first until first + cases).map { i =>
      val outcome = run(seed * 1000000L + i)
      outcome.failure.foreach(println)
      outcome
    }
    def counts(field: Outcome => String): String =
      outcomes.groupBy(field).toSeq.sortBy(_._1).map { case (k, all) => s""""$k": ${all.size}""" }
        .mkString("{", ", ", "}")
    println(
      s"""{"campaign": "restarts", "seed": $seed, "first": $first, "cases": $cases, "failures": ${outcomes.count(
          _.failure.nonEmpty
        )}, "seconds": ${(System.nanoTime - begun) / 1000000000L}, "java": "Java ${System.getProperty(
          "java.version"
        )}", "change": ${counts(_.change)}, "outcome": ${counts(_.result)}}"""
    )
    SparkSuite.session.stop()
  }
}
