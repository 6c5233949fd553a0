package chronosketch.spark.sliding.exchange

import scala.util.Random

import org.apache.spark.SparkConf
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

import chronosketch.Cases
import chronosketch.spark.aggregate.operator.OperatorSuite
import chronosketch.spark.memory.TestRefusals
import chronosketch.spark.sliding.{SlidingAnswers, SlidingConf, SlidingSuite}

/** Tests that windows have the same answers, in the same tasks, whether their rows are moved in blocks or one by one. */
class PackedExchangeSuite extends SlidingSuite {
  private def found[A](answers: SlidingAnswers)(wanted: PartialFunction[SparkPlan, A]): Seq[A] =
    OperatorSuite.plans.collectWithSubqueries(answers.plan)(wanted)
  private def packs(answers: SlidingAnswers): Seq[PackRowsExec] = found(answers) { case p: PackRowsExec => p }
  private def exchanges(answers: SlidingAnswers): Int =
    found(answers) { case e: ShuffleExchangeLike => e }.size

  /** The answers with packed rows, which must be those without. */
  private def assertPacked(query: String, packed: Int = 1): SlidingAnswers = {
    val blocks = withConf(SlidingConf.PackRows -> "true")(inOurs(sql(query)))
    val rows = withConf(SlidingConf.PackRows -> "false")(inOurs(sql(query)))
    assertEquals((packs(blocks).size, packs(rows).size), (packed, 0), s"$query\n${blocks.plan}")
    assertEqual(blocks, rows, query)
    assertEquals(exchanges(blocks), exchanges(rows), s"$query\n${blocks.plan}\n${rows.plan}")
    blocks
  }

  private val types = Seq(
    "BYTE",
    "SHORT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "BOOLEAN",
    "DATE",
    "DECIMAL(18, 3)",
    "DECIMAL(30, 3)",
    "STRING",
    "BINARY"
  )

  private def view(rows: Int = 3000): Unit = {
    val columns = types.zipWithIndex.map { case (t, i) =>
      val number = s"pmod(hash(id, $i), 100)"
      val value = t match {
        case "DATE" => s"date_add(DATE'2024-01-01', $number)"
        case "BINARY" | "STRING" => s"CAST(repeat('x', $number) AS $t)"
        case "BIGINT" => s"xxhash64(id, $i)"
        case "DOUBLE" => s"CASE $number WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D ELSE $number / 7 END"
        case _ => s"CAST($number AS $t)"
      }
      s"IF(pmod(hash(id, $i, 1), 5) = 0, NULL, $value) AS c$i"
    }
    spark.range(0, rows.toLong, 1, 3).selectExpr(
      Seq(
        "id",
        "pmod(hash(id, 1), 40) AS k",
        "IF(pmod(hash(id, 1), 9) = 0, NULL, concat('key ', pmod(hash(id, 1), 30))) AS s",
        "pmod(hash(id, 3), 500) AS v",
        "IF(id % 3 = 0, NULL, array(id, hash(id))) AS many",
        "named_struct('a', id, 'b', CAST(id AS STRING)) AS both"
      ) ++ columns: _*
    ).createOrReplaceTempView("packed")
  }

  private def q(key: String = "k") =
    s"approx_quantile(v, 0.5) OVER (PARTITION BY $key ORDER BY id ROWS 9 PRECEDING) AS q"
  // with one task of each shuffle partition, so that the plans can be compared
  private val apart = "spark.sql.adaptive.coalescePartitions.enabled" -> "false"
  private val modes = Seq("with adaptive execution" -> "true", "without adaptive execution" -> "false")

  for ((name, adaptive) <- modes) {
    test(s"rows of every type come to the same tasks, $name") {
      view()
      val fixed = types.zipWithIndex.collect {
        case (t, i) if !Seq("STRING", "BINARY", "DECIMAL(30, 3)").contains(t) => s"c$i"
      }
      for (partitions <- Seq("1", "7"))
        withConf(
          apart,
          "spark.sql.adaptive.enabled" -> adaptive,
          "spark.sql.shuffle.partitions" -> partitions
        ) {
          for (key <- Cases.some(3, Seq("k", "s", "k, s", "c5", "c9", "both", "id % 3 = 0"))) {
            assertPacked(s"SELECT *, ${q(key)}, spark_partition_id() AS task FROM packed")
            assertPacked(s"SELECT id, k, s, v, ${q(key)}, spark_partition_id() AS task FROM packed")
          }
          assertPacked(
            s"SELECT id, k, v, ${fixed.mkString(", ")}, ${q()}, spark_partition_id() AS task FROM packed"
          )
        }
    }

    test(s"joins and aggregates above need no other exchange, $name") {
      view()
      withConf(
        apart,
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.autoBroadcastJoinThreshold" -> "-1",
        "spark.sql.shuffle.partitions" -> "5"
      ) {
        val windows = s"(SELECT k, id, ${q()} FROM packed)"
        assertEquals(exchanges(assertPacked(s"SELECT k, max(q), count(*) FROM $windows GROUP BY k")), 1)
        val counts = "(SELECT k, count(*) AS n FROM packed GROUP BY k)"
        assertEquals(exchanges(assertPacked(s"SELECT * FROM $windows a JOIN $counts b USING (k)")), 2)
        assertPacked(s"SELECT * FROM $windows a JOIN (SELECT k, id, v FROM packed) b USING (k, id)")
        val another =
          "approx_quantile(v, 0.9) OVER (PARTITION BY k ORDER BY v, id ROWS 3 PRECEDING) AS r, row_number() OVER (PARTITION BY k ORDER BY id) AS n"
        assertPacked(s"SELECT id, ${q()}, $another FROM packed")
      }
    }

    test(s"equal exchanges are reused, $name") {
      view()
      withConf(
        apart,
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.autoBroadcastJoinThreshold" -> "-1",
        "spark.sql.shuffle.partitions" -> "5"
      ) {
        val windows = s"(SELECT k, s, id, ${q()} FROM packed)"
        val answers = inOurs(sql(s"SELECT * FROM $windows a JOIN $windows b USING (k, id)"))
        assertEquals(found(answers) { case r: ReusedExchangeExec => r }.size, 1, answers.plan.toString)
        assertEquals(packs(answers).size, 1)
        // a window and another reader of the same rows
        val both =
          s"WITH t AS (SELECT k, id, v FROM packed) SELECT * FROM (SELECT k, id, v, ${q()} FROM t) a JOIN t b USING (k)"
        val shared = assertPacked(both, packed = 0)
        assertEquals(found(shared) { case r: ReusedExchangeExec => r }.size, 1, shared.plan.toString)
      }
    }
  }

  test(
    "a task that runs again may send other blocks: rows have no checksum, and the input of tasks keeps its own"
  ) {
    view()
    for (adaptive <- Seq("true", "false"))
      withConf(
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.shuffle.orderIndependentChecksum.enabled" -> "true",
        "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch" -> "true",
        "spark.sql.shuffle.partitions" -> "3"
      ) {
        val answers =
          assertPacked(s"SELECT k, id, ${q()} FROM (SELECT k, v, max(id) AS id FROM packed GROUP BY k, v)")
        val (blocks, others) = (
          found(answers) { case e: BlockExchangeExec => e.sparks },
          found(answers) { case e: ShuffleExchangeExec => e }
        )
        def checksums(e: ShuffleExchangeExec): Int = e.shuffleDependency.rowBasedChecksums.length
        assertEquals(blocks.map(checksums), Seq(0))
        assertEquals(others.map(checksums(_) > 0), Seq(true), answers.plan.toString)
      }
  }

  test("an input that has ended is not asked again") {
    withConf("spark.sql.shuffle.partitions" -> "9") {
      spark.range(0, 100, 1, 2).as[Long](Encoders.scalaLong).mapPartitions { in =>
        var hasEnded = false
        new Iterator[Long] {
          def hasNext: Boolean = {
            require(!hasEnded, "asked after the end")
            hasEnded = !in.hasNext
            !hasEnded
          }
          def next(): Long = in.next()
        }
      }(Encoders.scalaLong).selectExpr(
        "value AS id",
        "value % 7 AS k",
        "value % 5 AS v"
      ).createOrReplaceTempView("once")
      assertPacked(s"SELECT id, ${q()} FROM once")
    }
  }

  test("small partitions are joined, and the rows of a key stay together") {
    view()
    withConf(
      "spark.sql.shuffle.partitions" -> "50",
      "spark.sql.adaptive.coalescePartitions.parallelismFirst" -> "false"
    ) {
      val answers = assertPacked(s"SELECT k, max(q), count(*) FROM (SELECT k, ${q()} FROM packed) GROUP BY k")
      assert(found(answers) { case r: AQEShuffleReadExec if r.hasCoalescedPartition => r }.nonEmpty)
      assertEquals(exchanges(answers), 1)
    }
  }

  test("blocks are smaller if Spark refuses memory, and answers stay the same") {
    view(20000)
    withConf("spark.sql.shuffle.partitions" -> "3") {
      val query = s"SELECT id, k, v, ${q()} FROM packed"
      val plenty = inOurs(sql(query))
      val scarce = withConf(TestRefusals.Setting -> "1+")(inOurs(sql(query)))
      assertEqual(scarce, plenty, query)
      def metric(answers: SlidingAnswers, name: String): Long = packs(answers).head.metrics(name).value
      assertEquals(metric(scarce, "numInputRows"), 20000L)
      assert(metric(plenty, "numBlocks") <= 27, metric(plenty, "numBlocks"))
      assert(metric(scarce, "numBlocks") >= 20000L / PackRowsExec.FewestRows)
    }
  }

  test("no rows, a single row, large values, and more columns than a word of NULL bits") {
    view()
    withConf("spark.sql.shuffle.partitions" -> "4") {
      // adaptive execution would drop the window
      withConf("spark.sql.adaptive.enabled" -> "false")(
        assertPacked(s"SELECT *, ${q()} FROM packed WHERE id > 5000")
      )
      assertPacked(s"SELECT *, ${q()} FROM packed WHERE id = 77")
      val large = s"SELECT length(text), ${q()} FROM (SELECT id, k, v, repeat('y', $$n) AS text FROM packed)"
      assertPacked(large.replace("$n", "IF(id % 1000 = 5, 3000000, 7)"))
      assertPacked(large.replace("$n", "int(id)"))
      val wide = (0 until 130).map(i => s"IF(id % 7 = ${i % 7}, NULL, id + $i) AS w$i").mkString(", ")
      assertPacked(s"SELECT *, ${q()} FROM (SELECT id, k, v, $wide FROM packed)")
    }
  }

  test("rows are moved one by one if it is off, if there are very many tasks, and where the query says so") {
    view(100)
    val query = s"SELECT id, k, v, ${q()} FROM packed"
    withConf(SlidingConf.PackRows -> "false")(assertEquals(packs(inOurs(sql(query))).size, 0))
    // 16 rows of 4 words each
    withConf("spark.sql.shuffle.partitions" -> s"${PackedExchange.MostMemory / (16 * 4 * 8) + 1}") {
      assertPacked(query, packed = 0)
    }
    // and room for their text
    val text = query.replace("id, k, v", "id, k, v, s")
    withConf("spark.sql.shuffle.partitions" -> s"${PackedExchange.MostMemory / 1024 + 1}") {
      assertPacked(text, packed = 0)
    }
    withConf("spark.sql.shuffle.partitions" -> "3") {
      assertPacked(
        s"SELECT *, ${q()} FROM (SELECT /*+ REPARTITION(3, k) */ id, k, v FROM packed)",
        packed = 0
      )
    }
    val plan = sql(s"EXPLAIN FORMATTED $query").collect().head.getString(0)
    for (words <- Seq("SketchPack", "SketchUnpack", "Targets: ")) assert(plan.contains(words), plan)
  }

  test("adaptive execution knows how many rows there are, and not only how many blocks") {
    view()
    withConf("spark.sql.shuffle.partitions" -> "2") {
      // more than there are blocks
      assertEquals(sql(s"SELECT * FROM (SELECT id, ${q()} FROM packed) LIMIT 20").count(), 20L)
      assertEquals(inOurs(sql(s"SELECT id, ${q()} FROM packed LIMIT 20")).rows.size, 20)
      val answers = assertPacked(s"SELECT id, s, ${q()} FROM packed")
      val stages = found(answers) { case stage: ShuffleQueryStageExec => stage.getRuntimeStatistics }
      val alone = withConf(SlidingConf.PackRows -> "false")(inOurs(sql(s"SELECT id, s, ${q()} FROM packed")))
      assertEquals(
        stages,
        found(alone) { case stage: ShuffleQueryStageExec => stage.getRuntimeStatistics }
      )
    }
  }

  test("rows are packed for Spark's own shuffle only") {
    val key = "spark.shuffle.manager"
    def isSparks(manager: String): Boolean =
      SlidingConf.hasSparksShuffle(new SparkConf(false).set(key, manager))
    assert(SlidingConf.hasSparksShuffle(new SparkConf(false)) && isSparks("sort"))
    assert(!isSparks("org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager"))
  }

  test("the numbers of targets are those of Spark's hash") {
    for (targets <- Seq(1, 2, 3, 7, 200, 1000)) {
      val numbers = PackRowsExec.numbersOf(targets)
      for ((number, target) <- numbers.zipWithIndex) {
        val id = HashPartitioning(Seq(Literal(number)), targets).partitionIdExpression
        assertEquals(id.eval(InternalRow.empty), target)
      }
    }
  }

  for (seed <- Cases.some(3, 1 to 40))
    test(s"a block gives back the bytes of its rows: seed $seed") {
      val random = new Random(seed)
      val columns = 1 + random.nextInt(70)
      val isVariable = random.nextBoolean()
      val all = Seq.fill(columns)(
        if (isVariable && random.nextInt(3) == 0) BinaryType
        else if (random.nextBoolean()) LongType
        else IntegerType
      )
      val shifts = all.map(_ => random.nextInt(64))
      val project = UnsafeProjection.create(all.toArray[DataType])
      def value(column: Int): Any = all(column) match {
        case _ if random.nextInt(9) == 0 => null
        case LongType => random.nextLong() >> shifts(column)
        case IntegerType => random.nextInt()
        case _ => random.nextBytes(random.nextInt(if (random.nextInt(50) == 0) 5000 else 30))
      }
      val targets = 1 + random.nextInt(5)
      val writer =
        new BlockWriter(PackRowsExec.words(columns), isVariable, targets, 1 + random.nextInt(40), 4000)
      val reader = new BlockReader(columns, isVariable)
      val asBlock = UnsafeProjection.create(Array[DataType](IntegerType, BinaryType))
      val added, read = Array.fill(targets)(Seq.newBuilder[UnsafeRow])
      def move(target: Int): Unit = {
        val row = writer.encode(target, 7 * target)
        val sparks = asBlock(InternalRow(7 * target, row.getBinary(1)))
        assertEquals(row, sparks, "the row of a block")
        val bytes = row.getBinary(1)
        // as in a row of Spark, not at the start of an array
        val shifted = new Array[Byte](bytes.length + 16)
        System.arraycopy(bytes, 0, shifted, 16, bytes.length)
        reader.begin(shifted, Platform.BYTE_ARRAY_OFFSET + 16L)
        while (reader.hasNext) read(target) += reader.read().copy()
      }
      for (_ <- 0 until 2000) {
        val row = project(InternalRow.fromSeq(all.indices.map(value))).copy()
        val target = random.nextInt(targets)
        added(target) += row
        if (writer.add(row, target)) move(target)
      }
      for (target <- 0 until targets) {
        if (writer.count(target) > 0) move(target)
        assertEquals(read(target).result(), added(target).result())
      }
    }
}
