package chronosketch.spark.history

import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** Builds histories in every way that Spark can build them: both operators give the same bytes, and every version answers as if all
  * changes were replayed.
  */
class HistoryMatrixSuite extends SparkSuite {
  private val phis = Seq("0", "0.1", "0.5", "0.99", "1")
  private val list = phis.mkString("array(", ", ", ")")
  private val epsilon = 0.1

  // groups of very different sizes; changes by several copies, by none, deletes of more copies than exist, and NULLs
  private def table(name: String, partitions: Int): Unit = spark
    .range(0, 4000, 1, partitions)
    .selectExpr(
      "CAST(floor(sqrt(id % 16)) AS BIGINT) AS k",
      "IF(id % 17 = 3, NULL, pmod(id * 7919, 211)) AS v",
      "IF(id % 19 = 3, NULL, pmod(id * 104729, 97) - 40) AS at",
      "CASE WHEN id % 23 = 4 THEN NULL WHEN id % 7 = 0 THEN 0 WHEN id % 7 < 3 THEN -2 ELSE id % 4 + 1 END AS c",
      "IF(id % 3 = 0, NULL, pmod(id * 104729, 97) - 40 + pmod(id * 31, 25)) AS until",
      "id"
    )
    .createOrReplaceTempView(name)

  private def number(r: Row, name: String): Option[Long] =
    Option(r.getAs[Any](name)).map(_.asInstanceOf[Number].longValue)

  private def truths(changesOf: Row => Seq[VersionTruth.Change]): Map[Long, VersionTruth] = {
    table("changes", 2)
    rows("SELECT * FROM changes").groupBy(_.getLong(0)).map { case (k, group) =>
      k -> new VersionTruth(group.flatMap(changesOf))
    }
  }

  private lazy val changed: Map[Long, VersionTruth] = truths { r =>
    for (v <- number(r, "v").toSeq; at <- number(r, "at"); c <- number(r, "c"))
      yield VersionTruth.Change(at, v, c)
  }

  private lazy val held: Map[Long, VersionTruth] = truths { r =>
    for (
      v <- number(r, "v").toSeq; at <- number(r, "at").toSeq;
      c <- VersionTruth.of(v, at, 1, number(r, "until"))
    )
      yield c
  }

  private val built =
    s"history_sketch_agg(v, at, c, $epsilon) AS changed, history_sketch_agg(v, at, epsilon => $epsilon, until => until) AS held"

  /** A query that asks every version of a history. */
  private def versionsQuery(sketch: String, from: String): String =
    s"""SELECT k, n AS version, sketch_count_bounds(s) AS n, sketch_rank_error(s) AS error, sketch_quantile(s, $list, 'bigint') AS q,
       |  sketch_quantile_bounds(s, $list, 'bigint') AS b, sketch_rank_bounds(s, 100) AS r
       |FROM (SELECT k, n, sketch_at_version($sketch, n) AS s FROM ($from)
       |  LATERAL VIEW explode(sequence(sketch_versions($sketch).first, sketch_versions($sketch).last)) AS n)""".stripMargin

  private def check(truths: Map[Long, VersionTruth], answers: Seq[Row]): Unit = {
    assertEquals(answers.map(_.getLong(0)).toSet, truths.keySet)
    answers.groupBy(_.getLong(0)).foreach { case (k, group) =>
      val truth = truths(k)
      assertEquals(group.map(_.getLong(1)).sorted, (truth.first to truth.last).toSeq)
      group.foreach(r => certified(truth.at(r.getLong(1)), r))
    }
  }

  private def certified(alive: IndexedSeq[Long], r: Row): Unit = {
    def between(bounds: Row, truth: Long): Unit =
      assert(bounds.getLong(0) <= truth && truth <= bounds.getLong(1), s"$truth in $bounds of $r")
    between(r.getAs[Row]("n"), alive.size.toLong)
    if (alive.nonEmpty) {
      assert(r.getAs[Double]("error") <= epsilon, r.toString)
      between(r.getAs[Row]("r"), alive.count(_ <= 100).toLong)
      phis.indices.foreach { i =>
        val rank = chronosketch.spark.Exact.rank(phis(i), alive.size)
        between(r.getAs[scala.collection.Seq[Row]]("b")(i), alive(rank - 1))
        val answer = r.getAs[scala.collection.Seq[Long]]("q")(i)
        val missed = math.max(alive.count(_ < answer) + 1 - rank, rank - alive.count(_ <= answer))
        assert(missed <= epsilon * alive.size, s"phi ${phis(i)} of ${alive.size}: $missed ranks of $r")
      }
    }
  }

  private val settings: Seq[(String, Seq[(String, String)])] = Seq(
    "default" -> Seq("spark.sql.codegen.fallback" -> "false"),
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "more partitions than groups" -> Seq(
      "spark.sql.shuffle.partitions" -> "40",
      "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
    ),
    "ANSI off" -> Seq("spark.sql.ansi.enabled" -> "false"),
    "Spark's own operator" -> Seq(AggregateConf.Enabled -> "false"),
    "Spark's own operator, sort fallback from the second key" -> Seq(
      AggregateConf.Enabled -> "false",
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1"
    ),
    "Spark's own sort aggregate, no codegen" -> Seq(
      AggregateConf.Enabled -> "false",
      "spark.sql.execution.useObjectHashAggregateExec" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )
  )

  private lazy val reference: Map[Long, (Seq[Byte], Seq[Byte])] = bytes("changes")

  private def bytes(view: String): Map[Long, (Seq[Byte], Seq[Byte])] =
    rows(s"SELECT k, $built FROM $view GROUP BY k").map(r =>
      r.getLong(0) -> (r.getAs[Array[Byte]](1).toSeq -> r.getAs[Array[Byte]](2).toSeq)
    ).toMap

  for {
    (name, conf) <- Cases.some(6, settings)
    partitions <- if (name == "default") Seq(1, 50) else Seq(3)
  } test(s"the same bytes: $name, partitions: $partitions") {
    assertEquals(changed.keySet, held.keySet)
    assertEquals(reference.keySet, changed.keySet)
    table("parts", partitions)
    withConf(conf: _*)(assert(bytes("parts") == reference, name))
  }

  Seq("changed" -> (() => changed), "held" -> (() => held)).foreach { case (sketch, truth) =>
    test(s"every version answers as if all changes were replayed: $sketch") {
      check(truth(), rows(versionsQuery(sketch, s"SELECT k, $built FROM changes GROUP BY k")))
    }
  }

  test("sketch_quantile directly on sketch_at_version gives the quantile of the version's bytes") {
    changed
    val quantile = (version: String) => s"sketch_quantile($version, phi, 'bigint')"
    val at = "sketch_at_version(changed, n)"
    val (compared, different) = {
      val r = rows(
        s"SELECT count(*), count_if(NOT (${quantile(at)} <=> ${quantile(s"IF(k >= 0, $at, NULL)")})) FROM (SELECT k, $built FROM changes GROUP BY k) LATERAL VIEW explode(sequence(sketch_versions(changed).first, sketch_versions(changed).last)) AS n LATERAL VIEW explode($list) AS phi"
      ).head
      (r.getLong(0), r.getLong(1))
    }
    assert(compared > 1000, compared.toString)
    assertEquals(different, 0L)
  }

  test("the tested histories are not all exact, have several trees, and ignore some deletes") {
    changed
    val facts = rows(
      s"SELECT k, sketch_versions(changed).trees, sketch_describe(changed).clamped, sketch_rank_error(sketch_at_version(changed, sketch_versions(changed).last)) FROM (SELECT k, $built FROM changes GROUP BY k)"
    )
    assert(facts.exists(_.getInt(1) > 1), facts)
    assert(facts.exists(_.getLong(2) > 0), facts)
    assert(facts.exists(_.getDouble(3) > 0), facts)
  }

  Seq(true, false).foreach { on =>
    test(s"one-shot answers are within epsilon of the replayed changes, our operator: $on") {
      changed
      withConf(AggregateConf.Enabled -> on.toString) {
        Seq(-41L, -40L, 0L, 17L, 56L, 99L).foreach { at =>
          val shots = rows(
            s"SELECT k, approx_quantile_at_version(v, at, c, $list, $at, $epsilon), approx_quantile_at_version(v, at, NULL, 0.5, $at) FROM changes GROUP BY k"
          )
          assertEquals(shots.map(_.getLong(0)).toSet, changed.keySet)
          shots.foreach { r =>
            val alive = changed(r.getLong(0)).at(at)
            if (alive.isEmpty) assertEquals(r.get(1), null)
            else
              phis.zip(r.getSeq[Long](1)).foreach { case (phi, answer) =>
                val rank = chronosketch.spark.Exact.rank(phi, alive.size)
                val missed = math.max(alive.count(_ < answer) + 1 - rank, rank - alive.count(_ <= answer))
                assert(missed <= epsilon * alive.size, s"phi $phi at $at: $answer")
              }
          }
        }
      }
    }
  }

  test("filters, several calls, and no GROUP BY give the same in both operators") {
    changed
    val queries = Seq(
      s"SELECT history_sketch_agg(v, at, c, $epsilon) FROM changes",
      s"SELECT k, history_sketch_agg(v, at, c) FILTER (WHERE id % 2 = 0), history_sketch_agg(v, at, until => until) FILTER (WHERE v > 100 OR v IS NULL), approx_quantile_at_version(v, at, c, 0.5, 3) FILTER (WHERE c > 0) FROM changes GROUP BY k",
      "SELECT k, history_sketch_agg(v / 2, at) FROM changes WHERE v < 0 GROUP BY k",
      "SELECT history_sketch_agg(v / 2, at) FROM changes WHERE v < 0",
      "SELECT k, history_sketch_agg(v, at, c, until => until) FROM changes WHERE until IS NULL OR until >= at GROUP BY k",
      "SELECT k, id % 3, IF(id % 5 = 0, NULL, concat('s', id % 2)), history_sketch_agg(v, at) FROM changes GROUP BY 1, 2, 3",
      "SELECT k, id % 3, history_sketch_agg(v, at) FROM changes GROUP BY ROLLUP (k, id % 3)",
      "SELECT k, s FROM (SELECT k, history_sketch_agg(v, at) AS s, max(at) AS m FROM changes GROUP BY k) WHERE m > 0",
      "SELECT IF(id % 2 = 0, double('NaN'), IF(id % 3 = 0, -0.0D, 0.0D)), history_sketch_agg(v, at) FROM changes GROUP BY 1"
    )
    def texts(query: String, on: Boolean): Seq[String] = withConf(AggregateConf.Enabled -> on.toString)(
      rows(query).map(chronosketch.spark.aggregate.operator.OperatorSuite.text).sorted
    )
    queries.foreach(query => assertEquals(texts(query, on = true), texts(query, on = false), query))
    assertEquals(texts(queries(3), on = true).size, 1)
  }

  test("a view, a query and a frame give the same history") {
    changed
    val k = 3L
    sql(s"CREATE OR REPLACE TEMP VIEW histories AS SELECT k, $built FROM changes GROUP BY k")
    assertEquals(
      one(s"SELECT changed FROM histories WHERE k = $k").asInstanceOf[Array[Byte]].toSeq,
      reference(k)._1
    )
    val over = rows(
      s"SELECT id, history_sketch_agg(v, at, c, $epsilon) OVER (PARTITION BY k) AS s FROM changes WHERE k = $k AND id < 500"
    )
    val whole = one(s"SELECT history_sketch_agg(v, at, c, $epsilon) FROM changes WHERE k = $k AND id < 500")
    over.foreach(r =>
      assert(java.util.Arrays.equals(r.getAs[Array[Byte]](1), whole.asInstanceOf[Array[Byte]]))
    )
    val running = rows(
      s"SELECT id, sketch_versions(history_sketch_agg(v, at) OVER (ORDER BY id)).last AS last FROM changes WHERE id < 60 AND v IS NOT NULL ORDER BY id"
    )
    val ats = rows("SELECT at FROM changes WHERE id < 60 AND v IS NOT NULL ORDER BY id").map(r =>
      Option(r.get(0)).map(_.asInstanceOf[Long])
    )
    assertEquals(
      running.map(r => Option(r.get(1)).map(_.asInstanceOf[Long])),
      ats.scanLeft(Option.empty[Long])((a, b) => (a ++ b).maxOption).tail
    )
  }
}
