package chronosketch.spark.plans

import scala.util.Random

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.{BareSession, SparkSuite}

/** Measures how long Spark plans the queries of TPC-DS and TPC-H, with and without our extension. `benchmarks/planning.py` runs it.
  *
  * The arguments are the number of rounds and of rounds before them that are not measured. A round plans every query in both sessions,
  * one directly after the other, in an order that changes from round to round and from query to query. It prints a line of JSON for each
  * query of a round: the microseconds of both.
  */
object PlanningTime {
  private val Seed = 47L

  def main(arguments: Array[String]): Unit = {
    val (rounds, warmUp) = (arguments(0).toInt, arguments(1).toInt)
    val ours = SparkSuite.session.asInstanceOf[SparkSession]
    val bare = BareSession.beside(ours)
    val workloads = Seq(Workload.TpcDs, Workload.TpcH)
    workloads.foreach(_.create(ours))
    for (adaptive <- Seq(true, false)) {
      Seq(ours, bare).foreach(_.conf.set(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key, adaptive))
      for (round <- -warmUp until rounds) {
        val random = new Random(Seed + round)
        val queries = for (w <- workloads; (name, query) <- w.queries) yield (w.database, name, query)
        random.shuffle(queries).zipWithIndex.foreach { case ((database, name, query), i) =>
          Seq(ours, bare).foreach(_.catalog.setCurrentDatabase(database))
          val isFirst = (i + round) % 2 == 0
          val first = micros(if (isFirst) ours else bare, query)
          val second = micros(if (isFirst) bare else ours, query)
          val (mine, theirs) = if (isFirst) (first, second) else (second, first)
          if (round >= 0)
            println(
              s"""{"adaptive": $adaptive, "round": $round, "query": "$database $name", "ours": $mine, "spark": $theirs}"""
            )
        }
      }
    }
    workloads.foreach(_.drop(ours))
    ours.stop()
  }

  private def micros(session: SparkSession, query: String): Long = {
    val begun = System.nanoTime
    PlanTexts.planned(session, query)
    (System.nanoTime - begun) / 1000
  }
}
