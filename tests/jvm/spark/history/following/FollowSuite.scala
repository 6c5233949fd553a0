package chronosketch.spark.history.following

import org.apache.spark.sql.functions.lit

import chronosketch.spark.history.following.HistoryStep.{Made, NothingNew, Overtaken}
import chronosketch.spark.tables

/** Tests the steps of histories that follow a Delta table. */
class FollowSuite extends HistoryTests {
  private val life = Seq(
    "INSERT INTO life SELECT id, IF(id % 4 = 0, NULL, concat('r', id % 4)), id FROM range(60)",
    "MERGE INTO life t USING (SELECT id FROM range(40, 80)) s ON t.id = s.id " +
      "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL " +
      "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, 'r1', 7)",
    "OPTIMIZE life",
    "a step",
    "ALTER TABLE life ADD COLUMN note STRING",
    "UPDATE life SET region = 'r2', amount = amount WHERE id < 20",
    "DELETE FROM life WHERE region IS NULL OR id = 5",
    "a step",
    "ALTER TABLE life_history SET TBLPROPERTIES ('written by' = 'another')",
    "INSERT OVERWRITE life SELECT * FROM life WHERE id % 2 = 0",
    "TRUNCATE TABLE life",
    "a step",
    "RESTORE life TO VERSION AS OF 5",
    "a step"
  )

  test("every version answers as time travel does") {
    val limits = FollowLimits(buildShare = 1.5, sealLeast = 100, small = 0)
    run(
      "DROP TABLE IF EXISTS life",
      "DROP TABLE IF EXISTS life_history",
      "CREATE TABLE life (id INT, region STRING, amount DECIMAL(10, 2)) USING delta PARTITIONED BY (region) " +
        s"TBLPROPERTIES ($Feed, delta.enableDeletionVectors = true, 'delta.columnMapping.mode' = 'name')"
    )
    val steps = life.flatMap {
      case "a step" => Histories.follow(spark, plan("life"), limits)
      case statement => run(statement); None
    }
    assertEquals(Histories.follow(spark, plan("life"), limits), None)
    assertEquals(steps.map(_.first), 0L +: steps.init.map(_.last + 1))
    assertEquals(steps.last.last, 9L)
    val waiting = sql(
      "SELECT step.waiting > 0 FROM life_history WHERE kind = 'step' ORDER BY from_version"
    ).collect().map(_.getBoolean(0)).toSeq
    assertEquals(
      steps.map(_.isSealed).zip(waiting),
      Seq((false, false), (true, false), (false, true), (false, false))
    )
    (0L to 9L).foreach(version =>
      checkVersion("life", version, Histories.at(spark, "life_history", version, limits))
    )
    checkVersions("life", steps.map(_.last): _*)
  }

  test("CALL creates a history, goes on with it, and repeats nothing") {
    source("called")
    assertEquals(follow("called"), Some((0L, 0L)))
    insert("called", 1, 2)
    run("UPDATE called SET amount = 3 WHERE id = 2")
    assertEquals(follow("called"), Some((1L, 2L)))
    assertEquals(follow("called"), None)
    checkVersions("called", 0, 1, 2)
    val (files, note) = {
      val commit = sql("DESCRIBE HISTORY called_history LIMIT 1").head()
      (
        commit.getMap[String, String](commit.fieldIndex("operationMetrics"))("numFiles"),
        commit.getAs[String]("userMetadata")
      )
    }
    assertEquals(files, "3") // one of each kind
    val step = sql(
      "SELECT step.* FROM called_history WHERE kind = 'step' ORDER BY step.number DESC LIMIT 1"
    ).head()
    val progress = Progress.fromJson(note).get
    assertEquals(progress.toJson, note)
    assertEquals(progress.definition.toJson.toString, step.getAs[String]("definition"))
    assertEquals((progress.id, progress.number), (step.getAs[String]("id"), 2L))
  }

  test("a history without groups has a row for every version, and a condition can be given") {
    source("whole")
    insert("whole", 1, 50)
    run("DELETE FROM whole WHERE id = 50")
    sql(
      "CALL chronosketch.follow('whole', 'whole_history', 'amount', where => 'amount > 10', start => 0)"
    ).collect()
    val counts = (0 to 2).map(version =>
      sql(s"SELECT sketch_count(sketch) FROM history_at('whole_history', $version)").head().getLong(0)
    )
    assertEquals(counts, Seq(0L, 1L, 0L))
  }

  test("only one of two followers makes a step") {
    source("raced")
    val late = HistoryStep.open(spark, plan("raced"))
    assertEquals(follow("raced"), Some((0L, 0L)))
    assertEquals(late.make(), Overtaken)
    insert("raced", 1)
    val (first, second) = (HistoryStep.open(spark, plan("raced")), HistoryStep.open(spark, plan("raced")))
    assertEquals(first.make(), Made(1, 1, 1, isSealed = false))
    assertEquals(second.make(), Overtaken)
    assertEquals(HistoryStep.open(spark, plan("raced")).make(), NothingNew)
    checkVersions("raced", 0, 1)
    val (condition, text) = refused(Histories.retrying("raced_history")(Overtaken))
    assertEquals(condition, "CONCURRENT_FOLLOWER")
    assert(text.contains("was faster 5 times in a row"), text)
  }

  test("notes that the package wrote in Python are read, and its histories go on") {
    source("older")
    insert("older", 1)
    follow("older")
    val table = sql("DESCRIBE DETAIL older").head().getAs[String]("id")
    val micros = sql("DESCRIBE HISTORY older LIMIT 1").selectExpr("unix_micros(timestamp)").head().getLong(0)
    val note =
      s"""{"number": 1, "id": "0f", "table": "$table", "definition": {"format": 1, "value": "amount", "value_type": "int", """ +
        """"by": ["region"], "by_types": ["string"], "by_names": ["region"], "where": null, "epsilon": 0.05, """ +
        s""""source": "spark_catalog.default.older"}, "first": 0, "last": 1, "last_micros": $micros, "segment": """ +
        """{"base": 0, "since": 0, "since_micros": 5, "built": 1, "began": 0, "taken": 1, "waiting": 0}}"""
    val progress = Progress.fromJson(note).get
    assertEquals(progress.segment, Segment(0, 0, Some(5), 1, Some(0), 1, 0))
    assertEquals(progress.definition.where, None)
    withConf("spark.databricks.delta.commitInfo.userMetadata" -> note)(
      run("ALTER TABLE older_history SET TBLPROPERTIES ('a' = 'b')")
    )
    insert("older", 2)
    assertEquals(follow("older"), Some((2L, 2L)))
    checkVersions("older", 0, 1, 2)
    assertEquals(Seq("by hand", "{}", """{"number": 1}""", null).map(Progress.fromJson), Seq.fill(4)(None))
  }

  test("a moment gives the last version that was committed by then") {
    source("timed")
    insert("timed", 1)
    follow("timed")
    val times = sql("DESCRIBE HISTORY timed").select("version", "timestamp").collect()
    times.foreach { row =>
      val found = sql(
        s"SELECT * FROM history_at('timed_history', timestamp => TIMESTAMP'${row.get(1)}')"
      )
      checkVersion("timed", row.getLong(0), found)
      val inScala = Seq(
        tables.history_at(spark, "timed_history", version = lit(row.getLong(0))),
        tables.history_at(spark, "timed_history", timestamp = lit(row.getTimestamp(1)))
      )
      inScala.foreach(checkVersion("timed", row.getLong(0), _))
    }
    Seq("2020-01-01", "2120-01-01").foreach { day =>
      val (condition, text) =
        refused(sql(s"SELECT * FROM history_at('timed_history', timestamp => TIMESTAMP'$day')"))
      assertEquals(condition, "TIMESTAMP_OUT_OF_RANGE")
      assert(text.contains(s"none for ${day}T"), text)
    }
  }
}
