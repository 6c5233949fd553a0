package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.aggregate.Partial
import org.apache.spark.util.SizeEstimator

/** Tests that the groups of a task hold as much memory as was requested from Spark for them, by walking the heap. */
class HeldMemorySuite extends OperatorSuite {
  private def view(): Unit = spark.range(0, 400000, 1, 1).selectExpr(
    "id",
    "concat('key ', id % 20000) AS s",
    "pmod(hash(id, 3), 1000000) AS v",
    "sin(id) AS x",
    "CAST(id AS DECIMAL(15,2)) AS d",
    "timestamp_seconds(id) AS t"
  ).createOrReplaceTempView("held")

  private val functions = Seq(
    "quantile_sketch_agg(v)",
    "quantile_sketch_agg(v, 0)",
    "quantile_sketch_agg(x, 0.05)",
    "quantile_sketch_agg(d)",
    "quantile_sketch_agg(v, 0.01, tail => 'high')",
    "quantile_sketch_agg(x, 0.01, sum => true)",
    "quantile_sketch_agg(v, 0.01, 1 + v % 9)",
    "ddsketch_agg(x)",
    "moments_agg(x)",
    "moments_agg(v)",
    "moments_agg(d)",
    "comoments_agg(x, v)",
    "comoments_agg(v, id)",
    "sample_sketch_agg(v, 100)",
    "sample_sketch_agg(v, 100, id => id)",
    "window_sketch_agg(v, t, 0.05)",
    "window_moments_agg(x, t, 0.1)",
    "window_sample_agg(v, t, 100)"
  )

  for (function <- functions)
    test(s"what is held is within a tenth of what is requested: $function") {
      view()
      withConf("spark.sql.adaptive.enabled" -> "false") {
        for (key <- Seq("id % 1", "id % 100", "id % 5000", "id % 100000", "s")) {
          val query = s"SELECT $key AS k, $function FROM held GROUP BY $key"
          val partial = operators(sql(query)).collectFirst {
            case a: SketchAggregateExec if a.mode == Partial => a
          }.get
          val (held, requested) = HeldMemorySuite.ofParts(partial)
          val difference = math.abs(held - requested)
          assert(
            difference <= HeldMemorySuite.Constant + requested / 10,
            s"$function by $key: $held bytes are held, $requested requested"
          )
        }
      }
    }
}

private object HeldMemorySuite {

  /** The most bytes of objects that exist once, however many groups there are. */
  val Constant = 16384L

  /** The bytes that the groups hold when all rows are in, and those that are requested. */
  def ofParts(partial: SketchAggregateExec): (Long, Long) = {
    val spec = partial.spec
    partial.child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val empty = spec.newState(partition)
      val state = spec.newState(partition)
      val aggregator = spec.rows.into(state, partition)
      rows.foreach(aggregator.add)
      Iterator((ofState(state) - ofState(empty), state.heldBytes - empty.heldBytes))
    }.collect().head
  }

  private def ofState(state: AggregateState): Long =
    SizeEstimator.estimate(Array[AnyRef](state.groupKeys, state.summaries(0)))
}
