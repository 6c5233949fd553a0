package chronosketch.spark.conditions

import scala.io.Source

import org.apache.spark.SparkThrowable

import chronosketch.Cases
import chronosketch.spark.SparkSuite
import chronosketch.spark.advisor.AdviceConditions
import chronosketch.spark.conditions.SomeSketch.{changed, literal, sketch}
import chronosketch.spark.ddsketch.DDSketchConditions
import chronosketch.spark.history.HistoryConditions
import chronosketch.spark.interchange.ImportConditions
import chronosketch.spark.moments.MomentsConditions
import chronosketch.spark.qlove.QloveConditions
import chronosketch.spark.sample.SampleConditions
import chronosketch.spark.sql.Conditions
import chronosketch.spark.window.WindowConditions

/** Tests error messages: a query provokes each condition, and its whole text must be as expected. */
class ConditionsSuite extends SparkSuite {
  private val version = chronosketch.Version.value

  private lazy val ours: Seq[Case] = SketchConditions.all ++ WindowConditions.ours ++
    HistoryConditions.ours ++
    QloveConditions.ours ++
    DDSketchConditions.ours ++
    MomentsConditions.ours ++
    SampleConditions.ours ++
    SampleConditions.windows ++
    AdviceConditions.ours ++
    ImportConditions.ours ++
    PortingConditions.ours ++
    ShapeConditions.all

  private lazy val sparks: Seq[Case] = CallConditions.all ++ WindowConditions.sparks ++
    HistoryConditions.sparks ++
    QloveConditions.sparks ++
    DDSketchConditions.sparks ++
    MomentsConditions.sparks ++
    SampleConditions.sparks ++
    ImportConditions.sparks ++
    PortingConditions.sparks

  private def checkError(c: Case): Unit = {
    val e = refusal(c.query)
    assertEquals(e.getCondition, c.condition, e.asInstanceOf[Throwable].getMessage)
    assertEquals(e.getSqlState, c.sqlState)
    val text = e.asInstanceOf[Throwable].getMessage
    if (c.text.nonEmpty)
      assertEquals(text.takeWhile(_ != '\n').split(" SQLSTATE: ")(0), s"[${c.condition}] ${c.text}")
    assert(text.contains(s"SQLSTATE: ${c.sqlState}"), text)
    // Spark must find the condition by its own lookup, which PySpark and Connect use
    assert(!text.contains("INTERNAL_ERROR"), text)
  }

  test("each of our conditions is provoked by a query")(ours.foreach(checkError))

  test("errors for which Spark has a condition of its own use it")(sparks.foreach(checkError))

  test("errors are the same without generated code, and without constant folding by the planner") {
    withConf(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )(Cases.some(ours.size / 4, ours).foreach(checkError))
    withConf(
      "spark.sql.optimizer.excludedRules" -> "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    ) {
      Cases.some(ours.size / 4, ours.filterNot(_.text.contains("is_sketch(X'"))).foreach(checkError)
    }
  }

  private lazy val written: Map[String, String] = {
    val json = Source.fromResource("error/chronosketch-conditions.json").mkString
    """"(CHRONOSKETCH_\w+)"\s*:\s*\{\s*"message"\s*:\s*\["(.*)"\]""".r.findAllMatchIn(json).map(m =>
      m.group(1) -> m.group(2).replace("\\\"", "\"")
    ).toMap
  }

  /** No test query can provoke these: they need 2 GiB of data, are checked earlier in SQL, or can only be reached from Scala. */
  private val unprovoked = Set(
    "CHRONOSKETCH_TOO_MANY_CHANGES",
    "CHRONOSKETCH_HISTORY_EMPTY",
    "CHRONOSKETCH_SKETCH_TOO_LARGE",
    "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
    "CHRONOSKETCH_NO_DIGITS"
  )

  /** Conditions that other suites provoke. */
  private val provokedElsewhere = Set(
    "CHRONOSKETCH_BUCKET_NOT_SORTED",
    "CHRONOSKETCH_CHANGES_COULD_BE_SKIPPED",
    "CHRONOSKETCH_CHANGES_DO_NOT_FIT",
    "CHRONOSKETCH_CHANGE_FEED_OFF",
    "CHRONOSKETCH_CONCURRENT_FOLLOWER",
    "CHRONOSKETCH_FOLLOW_ARGUMENT",
    "CHRONOSKETCH_FRAME_TOO_LARGE",
    "CHRONOSKETCH_HISTORY_DIFFERS",
    "CHRONOSKETCH_HISTORY_OF_STREAM",
    "CHRONOSKETCH_HISTORY_SET_BACK",
    "CHRONOSKETCH_HISTORY_TOO_NEW",
    "CHRONOSKETCH_HOPPING_AGGREGATE",
    "CHRONOSKETCH_HOPPING_ARGUMENT",
    "CHRONOSKETCH_HOPPING_GAPS",
    "CHRONOSKETCH_HOPPING_MODE",
    "CHRONOSKETCH_HOPPING_PANES",
    "CHRONOSKETCH_HOPPING_REAL_TIME",
    "CHRONOSKETCH_HOPPING_REWRITE",
    "CHRONOSKETCH_HOPPING_STRUCTURE",
    "CHRONOSKETCH_HOPPING_SYNTAX",
    "CHRONOSKETCH_HOPPING_TIME",
    "CHRONOSKETCH_INPUT_CHANGED",
    "CHRONOSKETCH_INTO_NOT_FOUND",
    "CHRONOSKETCH_JARS_DIFFER",
    "CHRONOSKETCH_NAME_TAKEN",
    "CHRONOSKETCH_NOT_A_HISTORY",
    "CHRONOSKETCH_NOT_A_ROLLUP",
    "CHRONOSKETCH_NO_HISTORY",
    "CHRONOSKETCH_NO_PROCEDURE",
    "CHRONOSKETCH_NO_SUCH_VERSION",
    "CHRONOSKETCH_ROLLUP_ARGUMENT",
    "CHRONOSKETCH_ROLLUP_BATCHES_MISSING",
    "CHRONOSKETCH_ROLLUP_CHANGED",
    "CHRONOSKETCH_ROLLUP_CONCURRENT",
    "CHRONOSKETCH_ROLLUP_DIFFERS",
    "CHRONOSKETCH_ROLLUP_FED_OTHERWISE",
    "CHRONOSKETCH_ROLLUP_NOT_FOUND",
    "CHRONOSKETCH_ROLLUP_OTHER_STREAM",
    "CHRONOSKETCH_ROLLUP_SOURCE_CHANGED",
    "CHRONOSKETCH_ROLLUP_SOURCE_REPLACED",
    "CHRONOSKETCH_ROLLUP_STREAM_UNKNOWN",
    "CHRONOSKETCH_ROLLUP_STREAM_UPDATES",
    "CHRONOSKETCH_ROLLUP_TOO_NEW",
    "CHRONOSKETCH_ROW_TOO_LARGE",
    "CHRONOSKETCH_SOURCE_FILES_GONE",
    "CHRONOSKETCH_SOURCE_LOG_GONE",
    "CHRONOSKETCH_SOURCE_NOT_FOUND",
    "CHRONOSKETCH_SOURCE_NOT_VERSIONED",
    "CHRONOSKETCH_SOURCE_REPLACED",
    "CHRONOSKETCH_SOURCE_SCHEMA_CHANGED",
    "CHRONOSKETCH_STEP_TAKEN",
    "CHRONOSKETCH_STREAM_STATE_CHANGED",
    "CHRONOSKETCH_STREAM_STATE_NEWER",
    "CHRONOSKETCH_STREAM_STATE_UNKNOWN",
    "CHRONOSKETCH_TIMESTAMP_OUT_OF_RANGE",
    "CHRONOSKETCH_UNKNOWN_FUNCTION",
    "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
    "CHRONOSKETCH_WAREHOUSE_BATCH_PASSED",
    "CHRONOSKETCH_WAREHOUSE_COLUMN",
    "CHRONOSKETCH_WAREHOUSE_COMMIT_UNKNOWN",
    "CHRONOSKETCH_WAREHOUSE_DAMAGED",
    "CHRONOSKETCH_WAREHOUSE_EMPTY",
    "CHRONOSKETCH_WAREHOUSE_EXISTS",
    "CHRONOSKETCH_WAREHOUSE_NEEDS_DELTA",
    "CHRONOSKETCH_WAREHOUSE_NEWER",
    "CHRONOSKETCH_WAREHOUSE_NOT_FOUND",
    "CHRONOSKETCH_WAREHOUSE_NOT_SELECTED",
    "CHRONOSKETCH_WAREHOUSE_STEPS_MERGED",
    "CHRONOSKETCH_WAREHOUSE_STREAM_PASSED",
    "CHRONOSKETCH_WAREHOUSE_VERSION_GONE"
  )

  test("each of our conditions is provoked, and each condition named in the code exists") {
    assertEquals(ours.map(_.condition).toSet ++ provokedElsewhere ++ unprovoked, written.keySet)
    val sources = Seq("jvm/core/src/main", "jvm/spark/src/main").flatMap { folder =>
      val all = java.nio.file.Files.walk(java.nio.file.Path.of(folder))
      try all.filter(p => p.toString.endsWith(".scala") || p.toString.endsWith(".java")).toArray.toSeq
      finally all.close()
    }
    assert(sources.size > 20, sources)
    val named = sources
      .flatMap(p =>
        """"(CHRONOSKETCH_\w+)"""".r.findAllMatchIn(
          java.nio.file.Files.readString(p.asInstanceOf[java.nio.file.Path])
        ).map(_.group(1))
      )
      .toSet
    assertEquals(named, written.keySet)
  }

  test("every error has Spark's form: a text, an SQLSTATE and all parameters filled in") {
    written.foreach { case (condition, template) =>
      val parameters = """<(\w+)>""".r.findAllMatchIn(template).map(_.group(1)).toSet
      val e = Conditions.runtimeError(
        new chronosketch.Refusal(
          condition,
          (parameters - "function" - "version").map(p => p -> s"the $p").toMap
        ),
        Map("function" -> "f")
      )
      assertEquals(e.asInstanceOf[SparkThrowable].getCondition, condition)
      assert("""\w{5}""".r.matches(e.asInstanceOf[SparkThrowable].getSqlState), condition)
      val expected = parameters.foldLeft(template) { (text, p) =>
        text.replace(s"<$p>", if (p == "function") "f" else if (p == "version") version else s"the $p")
      }
      assertEquals(
        e.getMessage,
        s"[$condition] $expected SQLSTATE: ${e.asInstanceOf[SparkThrowable].getSqlState}"
      )
    }
  }

  test("an error in a task has our condition, not that of a failed job") {
    val bad = s"(SELECT IF(id = 77, X'CAFE', ${literal(sketch)}) AS s FROM range(0, 100, 1, 4))"
    Seq(
      s"SELECT sum(sketch_count(s)) FROM $bad",
      s"SELECT sketch_merge_agg(s) FROM $bad",
      s"SELECT count(*) FROM $bad WHERE sketch_max(s) > 3",
      s"SELECT sketch_count(s), count(*) FROM $bad GROUP BY 1 ORDER BY 2",
      s"SELECT sketch_merge_agg(s) OVER (ORDER BY length(s)) FROM $bad"
    ).foreach { text =>
      val e = refusal(text)
      assertEquals(e.getCondition, "CHRONOSKETCH_NOT_A_SKETCH", text)
      assert(e.asInstanceOf[Throwable].getMessage.startsWith("[CHRONOSKETCH_NOT_A_SKETCH] "), text)
    }
    assertEquals(one(s"SELECT count(*) FROM $bad WHERE is_sketch(s) AND sketch_max(s) > 3"), 99L)
  }

  test("is_sketch never fails") {
    val bytes = Seq(
      "X''",
      "X'43'",
      "X'CAFE'",
      "X'43485253'",
      "X'4348525301'",
      literal(sketch.take(30)),
      literal(changed(4, 2)),
      literal(changed(9, 77)),
      literal(sketch :+ 0.toByte),
      "CAST('text' AS BINARY)"
    )
    bytes.foreach(b => assertEquals(one(s"SELECT is_sketch($b)"), false, b))
    assertEquals(one(s"SELECT is_sketch(${literal(sketch)})"), true)
    // a change of any byte of a sketch is detected
    val flipped = spark.range(sketch.length.toLong * 8).selectExpr("id").collect().map { r =>
      val copy = sketch.clone()
      val bit = r.getLong(0).toInt
      copy(bit / 8) = (copy(bit / 8) ^ (1 << (bit % 8))).toByte
      Tuple1(copy)
    }
    assertEquals(spark.createDataFrame(flipped.toSeq).toDF("b").where("is_sketch(b)").count(), 0L)
  }

  test("an analysis error points at the call") {
    val e = intercept[org.apache.spark.sql.AnalysisException](sql("SELECT 1,\n  approx_quantile('a', 0.5)"))
    assert(e.getMessage.contains("line 2"), e.getMessage)
  }
}
