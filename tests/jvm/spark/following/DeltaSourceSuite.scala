package chronosketch.spark.following

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** Tests the versions and changes of Delta tables, and what a source refuses. */
class DeltaSourceSuite extends FollowingSuite {
  private val Switch = "spark.databricks.delta.changelogV2.enabled"

  private def last(source: ChangeSource): LastVersion =
    LastVersion(source.latest, source.identity, source.time(source.latest))

  private def folderOf(table: String): Path =
    Path.of(new org.apache.hadoop.fs.Path(Sources.location(spark, table)).toUri.getPath)

  private def setting(property: String, value: Any): String =
    s"SET TBLPROPERTIES (delta.$property = $value)"

  test("changes by the feed: each kind of statement leads from one version to the next") {
    create("fed")
    run(
      "INSERT INTO fed SELECT id, IF(id % 4 = 0, NULL, concat('r', id % 4)), id FROM range(0, 60, 1, 2)",
      "UPDATE fed SET amount = amount + 1 WHERE id < 20",
      "DELETE FROM fed WHERE id = 22 OR region IS NULL",
      "MERGE INTO fed t USING (SELECT id FROM range(40, 80)) s ON t.id = s.id " +
        "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL " +
        "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, 'r1', 7)",
      "OPTIMIZE fed",
      "INSERT OVERWRITE fed SELECT * FROM fed WHERE id % 2 = 0",
      "RESTORE fed TO VERSION AS OF 3",
      "ALTER TABLE fed ADD COLUMN note STRING",
      "INSERT INTO fed VALUES (1, 'r1', 1, 'new'), (1, 'r1', 1, 'new')"
    )
    val source = open("fed")
    source.requireChanges()
    checkChanges(source, "fed", 1)
    assertEquals(
      source.changes(9, 9).columns.toSet,
      Set("id", "region", "amount", "note", ChangeSource.Version, ChangeSource.Copies)
    )
    assert(source.time(3) < source.time(9))
    assertEquals(refused(source.time(10))._1, "SOURCE_LOG_GONE")
  }

  test("changes by row id, if the feed is off or was off") {
    create("tracked", "delta.enableRowTracking = true, delta.enableDeletionVectors = false")
    run(
      "INSERT INTO tracked SELECT id, 'r1', id FROM range(0, 20, 1, 2)",
      "UPDATE tracked SET amount = 0 WHERE id % 3 = 0",
      s"ALTER TABLE tracked ${setting("enableDeletionVectors", true)}",
      "DELETE FROM tracked WHERE id = 7",
      "ALTER TABLE tracked ADD COLUMN note STRING",
      "INSERT INTO tracked VALUES (90, 'r9', 9, 'new')"
    )
    val (condition, text) = refused(open("tracked").requireChanges())
    assertEquals(condition, "CHANGE_FEED_OFF")
    assert(
      text.contains(s"ALTER TABLE spark_catalog.default.tracked ${setting("enableChangeDataFeed", true)}."),
      text
    )
    assert(text.contains(s"SET $Switch = true"), text)
    withConf(Switch -> "true") {
      val source = open("tracked")
      source.requireChanges()
      checkChanges(source, "tracked", 1)
      run(
        s"ALTER TABLE tracked ${setting("enableChangeDataFeed", true)}",
        "INSERT INTO tracked VALUES (91, 'r9', 9, 'new')"
      )
      // the feed begins too late
      checkChanges(open("tracked"), "tracked", 6)
    }
    val late = open("tracked")
    checkChanges(late, "tracked", 8)
    val (missing, message) = refused(
      ReadErrors.explaining("tracked", 6, 8, "Build it anew.")(late.changes(6, 8).collect())
    )
    assertEquals(missing, "CHANGE_FEED_OFF")
    assert(message.contains("in some of the versions 6 to 8"), message)
    assert(message.contains("does not have them. Build it anew. SQLSTATE"), message)
  }

  test("a source keeps its identity until its table is replaced") {
    create("kept")
    run("INSERT INTO kept VALUES (1, 'r1', 1)")
    val first = open("kept")
    val version = last(first)
    run("INSERT INTO kept VALUES (2, 'r1', 1)")
    val next = open("kept", Some(version))
    assertEquals((next.latest, next.identity, next.replaced(version)), (2L, first.identity, None))
    assertEquals(last(next).identity, last(open("kept")).identity)
    run("ALTER TABLE kept SET TBLPROPERTIES ('a' = 'b')")
    assertEquals(open("kept", Some(version)).replaced(version), None)
    val ahead = version.copy(version = 9)
    assert(open("kept", Some(ahead)).replaced(ahead).exists(_.contains("version 9 was read")))
    run("CREATE OR REPLACE TABLE kept (id INT) USING delta")
    val replaced = open("kept", Some(version)).replaced(version)
    assert(replaced.exists(_.startsWith(s"its id was ${first.identity} up to version 1")), replaced)
    create("kept")
    run("INSERT INTO kept VALUES (1, 'r1', 1)")
    assert(open("kept", Some(version)).replaced(version).nonEmpty)
  }

  test("names: full, in backticks, and of folders") {
    val folder = Files.createTempDirectory("a [b] `c`").toString
    val path = s"delta.`${folder.replace("`", "``")}`"
    run("CREATE SCHEMA IF NOT EXISTS `12`")
    Seq(
      "`12`.`1e5`" -> "spark_catalog.`12`.`1e5`",
      path -> path
    ).foreach { case (table, name) =>
      create(table)
      run(s"INSERT INTO $table VALUES (1, 'r1', 1), (2, 'r2', 2)")
      val source = open(table)
      assertEquals(source.name, name)
      assertEquals(source.changes(1, 1).count(), 2L)
      assertEquals(source.snapshot(0).count(), 0L)
      assertEquals(last(open(source.name)), last(source))
      assert(Sources.exists(spark, name))
    }
    assertEquals(folderOf(path).toString, folder)
    run("DROP TABLE `12`.`1e5`", "DROP SCHEMA `12`")
  }

  test("a missing table is named, with similar names") {
    create("orders_here")
    val empty = Files.createTempDirectory("empty").toString
    Seq(
      "orders_hera" -> "no table orders_hera in spark_catalog.default.",
      "default.orders_hera" -> "no table orders_hera in spark_catalog.default.",
      "nowhere.orders_here" -> "no table orders_here in spark_catalog.nowhere.",
      "nowhere.sales.orders_here" -> "no table orders_here in spark_catalog.nowhere.sales.",
      s"delta.`$empty/none`" -> s"no Delta table at delta.`$empty/none`.",
      s"delta.`$empty`" -> s"no Delta table at delta.`$empty`."
    ).foreach { case (table, missing) =>
      assert(!Sources.exists(spark, table), table)
      val (condition, text) = refused(open(table))
      assertEquals(condition, "SOURCE_NOT_FOUND")
      assert(text.contains(missing), text)
      assert(text.contains(s"Check the name of the source, $table."), text)
      assertEquals(text.contains("Similar names there: orders_here."), table.endsWith("hera"), text)
    }
  }

  test("views and tables of other formats are refused") {
    create("seen_table")
    run(
      "CREATE OR REPLACE TEMP VIEW seen AS SELECT * FROM seen_table",
      "CREATE OR REPLACE VIEW seen_by_all AS SELECT * FROM seen_table",
      "DROP TABLE IF EXISTS seen_files",
      "CREATE TABLE seen_files (id INT) USING parquet"
    )
    Seq(
      "seen" -> "seen is a view",
      "seen_by_all" -> "seen_by_all is a view",
      "seen_files" -> "seen_files is a table of format parquet"
    ).foreach { case (table, what) =>
      val (condition, text) = refused(open(table))
      assertEquals(condition, "SOURCE_NOT_VERSIONED")
      assert(text.contains(what), text)
    }
    run("DROP VIEW seen", "DROP VIEW seen_by_all", "DROP TABLE seen_files")
  }

  test("a session that skips files is refused") {
    create("skipped")
    val source = open("skipped")
    Seq("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles").foreach { setting =>
      withConf(setting -> "true") {
        Seq(() => source.snapshot(0), () => source.changes(0, 0)).foreach { read =>
          val (condition, text) = refused(read())
          assertEquals(condition, "CHANGES_COULD_BE_SKIPPED")
          assert(text.contains(s"SET $setting = false"), text)
        }
      }
    }
  }

  private def explained(source: ChangeSource, first: Long)(body: => Any): String = {
    val remedy = "Build it anew: CALL chronosketch.rebuild('orders_hourly')."
    val (condition, text) =
      refused(ReadErrors.explaining(source.name, first, source.latest, remedy)(body))
    assert(text.contains(s" $remedy SQLSTATE"), text)
    condition
  }

  test("renamed and dropped columns, gone files and gone versions are named, with a remedy") {
    create("lost", s"$Feed, 'delta.columnMapping.mode' = 'name'")
    run("INSERT INTO lost VALUES (1, 'r1', 1), (2, 'r1', 2)", "DELETE FROM lost WHERE id = 1")
    val folder = folderOf("lost")
    val source = open("lost")
    val walked = Files.walk(folder)
    try walked.iterator.asScala.filter(_.toString.endsWith(".parquet")).toSeq.foreach(Files.delete)
    finally walked.close()
    // in one task: others could fail, and be logged, after the query has ended
    assertEquals(explained(source, 1)(source.changes(1, 2).coalesce(1).collect()), "SOURCE_FILES_GONE")
    run("ALTER TABLE lost RENAME COLUMN amount TO price")
    val renamed = open("lost")
    assertEquals(explained(renamed, 3)(renamed.changes(3, 3)), "SOURCE_SCHEMA_CHANGED")
    assertEquals(explained(renamed, 1)(renamed.time(7)), "SOURCE_LOG_GONE")
  }

  /** A copy of a table's folder without some versions in its log. Delta has not read it before. */
  private def without(table: String, versions: Int*): String = {
    val (from, to) = (folderOf(table), Files.createTempDirectory("copied"))
    val walked = Files.walk(from)
    try
      walked.iterator.asScala.filterNot(_ == from).foreach(file =>
        Files.copy(file, to.resolve(from.relativize(file)))
      )
    finally walked.close()
    versions.foreach(version => Files.delete(to.resolve("_delta_log").resolve(f"$version%020d.json")))
    s"delta.`$to`"
  }

  test("versions that are missing in the log are named") {
    create("cleaned", s"$Feed, delta.checkpointInterval = 2")
    run((1 to 3).map(i => s"INSERT INTO cleaned VALUES ($i, 'r1', $i)"): _*)
    val source = open(without("cleaned", 0, 1))
    checkChanges(source, source.name, 3)
    val remedy = "Build it anew."
    val (condition, text) =
      refused(ReadErrors.explaining("cleaned", 1, 3, remedy)(source.changes(1, 3)))
    assertEquals(condition, "SOURCE_LOG_GONE")
    assert(text.contains("it has only 2 of the versions 1 to 3. The others were cleaned up"), text)
    assert(text.contains(remedy), text)

    create("torn")
    run((1 to 2).map(i => s"INSERT INTO torn VALUES ($i, 'r1', $i)"): _*)
    val (torn, message) = refused(open(without("torn", 1)))
    assertEquals(torn, "SOURCE_LOG_GONE")
    assert(message.contains("Repair the table first."), message)
  }

  test("rows of partitioned tables and of tables with mapped columns are not found by their ids") {
    withConf(Switch -> "true") {
      run("DROP TABLE IF EXISTS parts")
      run(
        "CREATE TABLE parts (id INT, day INT) USING delta PARTITIONED BY (day) TBLPROPERTIES (delta.enableRowTracking = true)"
      )
      create("mapped", "delta.enableRowTracking = true, 'delta.columnMapping.mode' = 'name'")
      Seq("parts", "mapped").foreach { table =>
        val (condition, text) = refused(open(table).requireChanges())
        assertEquals(condition, "CHANGE_FEED_OFF")
        assert(!text.contains("CHANGES"), text)
      }
    }
  }

  test("conflicts and missing tables are recognised by their causes") {
    val conflict = new RuntimeException("[DELTA_CONCURRENT_APPEND.WITH_HINT] Files were added")
    assert(ReadErrors.isConflict(new RuntimeException("a job failed", conflict)))
    assert(!ReadErrors.isConflict(new RuntimeException("[DIVIDE_BY_ZERO] in DELTA_CONCURRENT_APPEND")))
    assert(!ReadErrors.isMissing(conflict))
    assert(ReadErrors.isMissing(intercept[Exception](sql("SELECT * FROM no_such_table"))))
    val circle = new RuntimeException("a")
    circle.initCause(new RuntimeException("b", circle))
    assert(!ReadErrors.isConflict(circle))
  }
}
