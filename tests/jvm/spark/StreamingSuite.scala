package chronosketch.spark

import java.nio.file.{Files, Path}

import scala.collection.mutable

import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, Row}

/** Tests streaming aggregations: the sketches in their state survive batches and a restart. */
class StreamingSuite extends SparkSuite {

  private def arrive(folder: Path, from: Long, until: Long): Unit =
    spark.range(from, until, 1, 3).selectExpr(
      "id",
      "id % 3 AS k",
      "pmod(id * 7919, 10007) AS v"
    ).write.mode("append").parquet(folder.toString)

  /** Processes the rows that have arrived since the last run, and stops. Returns the last output row of each group. */
  private def run(
      folder: Path,
      checkpoint: Path,
      mode: String,
      schema: String
  )(query: DataFrame => DataFrame): Map[Any, Row] = {
    val out = mutable.Map.empty[Any, Row]
    val stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", "2").parquet(folder.toString)
    val batch: (DataFrame, Long) => Unit = (df, _) => df.collect().foreach(r => out(r.get(0)) = r)
    val running = query(stream).writeStream
      .outputMode(mode)
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.AvailableNow())
      .foreachBatch(batch)
      .start()
    try running.awaitTermination()
    finally running.stop()
    out.toMap
  }

  private def truth(k: Long, until: Long): IndexedSeq[Long] =
    (0L until until).filter(_ % 3 == k).map(i => (i * 7919) % 10007).sorted

  Seq("complete", "update").foreach { mode =>
    test(s"a stream answers for all of its rows so far, in $mode mode, also after a restart") {
      val home = Files.createTempDirectory("stream")
      val (folder, checkpoint) = (home.resolve("in"), home.resolve("checkpoint"))
      def ask(df: DataFrame): DataFrame = df
        .groupBy("k")
        .agg(
          functions.approx_quantile(df("v"), Seq(0.0, 0.5, 0.99)).as("q"),
          functions.approx_quantile_bounds(df("v"), 0.5, 0.05).as("b"),
          functions.quantile_sketch_agg(df("v"), 0.05).as("s")
        )
        .selectExpr(
          "k",
          "q",
          "b",
          "sketch_count(s) AS n",
          "sketch_rank_error(s) AS e",
          "sketch_quantile_bounds(s, 0.5, 'bigint') AS sb"
        )
      Seq(0L -> 3000L, 3000L -> 9000L).foreach { case (from, until) =>
        arrive(folder, from, until)
        val answers = run(folder, checkpoint, mode, "id BIGINT, k BIGINT, v BIGINT")(ask)
        assertEquals(answers.size, 3)
        answers.foreach { case (k, r) =>
          val of = truth(k.asInstanceOf[Long], until)
          assertEquals(r.getSeq[Long](1), Seq("0", "0.5", "0.99").map(Exact.quantile(of, _)))
          assertEquals(r.getLong(3), of.size.toLong)
          assert(r.getDouble(4) > 0 && r.getDouble(4) <= 0.05, r.toString)
          val median = Exact.quantile(of, "0.5")
          Seq(r.getStruct(2), r.getStruct(5)).foreach(b =>
            assert(b.getLong(0) <= median && median <= b.getLong(1), s"$median in $b")
          )
        }
      }
    }
  }

  Seq("complete", "update").foreach { mode =>
    test(s"windows of a stream end at its newest row so far, in $mode mode, also after a restart") {
      val home = Files.createTempDirectory("stream")
      val (folder, checkpoint) = (home.resolve("in"), home.resolve("checkpoint"))
      // distinct times that go up and down, so that no batch contains only the newest rows
      def at(id: Long): Long = id + (id % 7) * 1001
      def ask(df: DataFrame): DataFrame = df
        .selectExpr("k", "v", "id + id % 7 * 1001 AS t", "id % 5 = 0 AS fifth")
        .groupBy("k")
        .agg(
          expr("window_sketch_agg(v, t, 0.1, filters => map('fifth', fifth))").as("s"),
          expr("approx_window_quantile(v, t, 0.5, within_last(1500) AND fifth, epsilon => 0)").as("q"),
          expr("approx_window_quantile(v, t, array(0, 1), among_last(9))").as("ends")
        )
        .selectExpr(
          "k",
          "sketch_count_bounds(sketch_window(s, 1500)) AS n",
          "sketch_quantile_bounds(sketch_window(s, 1500), 0.9, 'bigint') AS b",
          "sketch_rank_error(sketch_window(s, within_last(1500))) AS e",
          "sketch_count_bounds(sketch_window(s, within_last(1500) AND passing('fifth'))) AS f",
          "q",
          "ends"
        )
      Seq(0L -> 3000L, 3000L -> 9000L).foreach { case (from, until) =>
        arrive(folder, from, until)
        val answers = run(folder, checkpoint, mode, "id BIGINT, k BIGINT, v BIGINT")(ask)
        assertEquals(answers.size, 3)
        answers.foreach { case (k, r) =>
          val ids = (0L until until).filter(_ % 3 == k.asInstanceOf[Long])
          val newest = ids.map(at).max
          val meant = ids.filter(id => at(id) > newest - 1500)
          def sorted(rowIds: Seq[Long]): IndexedSeq[Long] =
            rowIds.map(id => (id * 7919) % 10007).sorted.toIndexedSeq
          val (values, fifths) = (sorted(meant), sorted(meant.filter(_ % 5 == 0)))
          def isBetween(bounds: Row, truth: Long): Unit =
            assert(bounds.getLong(0) <= truth && truth <= bounds.getLong(1), s"$truth in $bounds")
          isBetween(r.getStruct(1), values.size.toLong)
          isBetween(r.getStruct(2), Exact.quantile(values, "0.9"))
          assert(r.getDouble(3) <= 0.1, r.toString)
          isBetween(r.getStruct(4), fifths.size.toLong)
          assertEquals(r.getLong(5), Exact.quantile(fifths, "0.5"))
          val nine = sorted(ids.sortBy(at).takeRight(9))
          assertEquals(r.getSeq[Long](6), Seq(nine.head, nine.last))
        }
      }
    }
  }

  Seq("complete", "update").foreach { mode =>
    test(s"panes of a stream accept rows until its end, in $mode mode, also after a restart") {
      val home = Files.createTempDirectory("stream")
      val (folder, checkpoint) = (home.resolve("in"), home.resolve("checkpoint"))
      def ask(df: DataFrame): DataFrame = df
        .groupBy("k")
        .agg(expr("qlove_sketch_agg(v, id, array(0, 0.5, 0.99), 8)").as("s"))
        .selectExpr(
          "k",
          "sketch_count(s)",
          "sketch_quantile(s, array(0, 0.5, 0.99), 'bigint')",
          "sketch_describe(s).family"
        )
      Seq(0L -> 3000L, 3000L -> 9000L).foreach { case (from, until) =>
        arrive(folder, from, until)
        val answers = run(folder, checkpoint, mode, "id BIGINT, k BIGINT, v BIGINT")(ask)
        assertEquals(answers.size, 3)
        answers.foreach { case (k, r) =>
          val of = truth(k.asInstanceOf[Long], until)
          val quantiles = Seq("0", "0.5", "0.99").map(Exact.quantile(of, _))
          assertEquals(r, Row(k, of.size.toLong, quantiles, "qlove sketch"))
        }
      }
    }
  }

  test("a ddsketch of a stream is within alpha, also after a restart") {
    val home = Files.createTempDirectory("stream")
    val (folder, checkpoint) = (home.resolve("in"), home.resolve("checkpoint"))
    def ask(df: DataFrame): DataFrame = df
      .groupBy("k")
      .agg(expr("ddsketch_agg(v)").as("s"))
      .selectExpr("k", "sketch_count(s)", "sketch_quantile(s, array(0, 0.5, 0.99, 1))")
    Seq(0L -> 3000L, 3000L -> 9000L).foreach { case (from, until) =>
      arrive(folder, from, until)
      val answers = run(folder, checkpoint, "update", "id BIGINT, k BIGINT, v BIGINT")(ask)
      assertEquals(answers.size, 3)
      answers.foreach { case (k, r) =>
        val of = truth(k.asInstanceOf[Long], until)
        assertEquals(r.getLong(1), of.size.toLong)
        Seq("0", "0.5", "0.99", "1").zip(r.getSeq[Double](2)).foreach { case (phi, answer) =>
          val exact = Exact.quantile(of, phi).toDouble
          assert(math.abs(answer - exact) <= 0.01 * math.abs(exact), s"$answer for $exact")
        }
      }
    }
  }

  test("a stream of sketches is merged") {
    val home = Files.createTempDirectory("stream")
    val (folder, checkpoint) = (home.resolve("in"), home.resolve("checkpoint"))
    def arrives(from: Long, until: Long): Unit = spark
      .range(from, until, 1, 3)
      .groupBy(expr("id % 5 AS id"))
      .agg(functions.quantile_sketch_agg(col("id")).as("s"))
      .write
      .mode("append")
      .parquet(folder.toString)
    def ask(df: DataFrame): DataFrame =
      df.agg(functions.sketch_merge_agg(col("s")).as("s")).selectExpr(
        "'all'",
        "sketch_count(s)",
        "sketch_quantile(s, 0.5, 'bigint')"
      )
    arrives(1, 501)
    assertEquals(
      run(folder, checkpoint, "complete", "id BIGINT, s BINARY")(ask),
      Map[Any, Row]("all" -> Row("all", 500L, 250L))
    )
    arrives(501, 701)
    assertEquals(
      run(folder, checkpoint, "complete", "id BIGINT, s BINARY")(ask),
      Map[Any, Row]("all" -> Row("all", 700L, 350L))
    )
  }
}
