package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{SaveMode, SparkSession}

import chronosketch.Cases
import chronosketch.spark.SparkSuite
import chronosketch.spark.warehouse.manifest.ManifestStores

/** Tests the store that commits to a Delta table. A commit to Delta takes seconds, so by default only concurrent commits and the
  * error without Delta are tested. If CHRONOSKETCH_CASES is greater than 1, everything is.
  */
class DeltaStoreSuite
    extends StoreSuite(
      ManifestStores.Delta,
      "file:",
      "a Delta table",
      rounds = Cases.of(1),
      writers = if (Cases.times > 1) 6 else 3
    ) {
  override protected lazy val spark: SparkSession = {
    val session = SparkSuite.session.newSession()
    session.conf.set("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    // compiling code that runs only once takes longer than running it
    session.conf.set("spark.sql.codegen.wholeStage", "false")
    session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    session.conf.set("spark.databricks.delta.snapshotPartitions", "1")
    session.conf.set("spark.databricks.delta.writeChecksumFile.enabled", "false")
    session
  }

  private val short =
    Set(
      "exactly one of several concurrent commits of a version wins",
      "a session without Delta says what it needs"
    )

  override def munitTests(): Seq[Test] =
    super.munitTests().filter(test => Cases.times > 1 || short(test.name))

  private def rows(from: Long, until: Long) = spark.range(from, until).selectExpr("id AS v")

  private def created(): (String, Warehouse) = {
    val path = folder()
    (path, Warehouse.create(spark, path, "v", epsilon = 0.05, store = ManifestStores.Delta))
  }

  private def assertRows(w: Warehouse, until: Long): Unit =
    check(w.quantile(phis), truth(rows(0, until), Nil, "v"), 0)

  /** Writes a row that is not a commit, or a table that is not a manifest. */
  private def write(path: String, query: String, mode: SaveMode = SaveMode.Append): Unit =
    sql(query).write.format("delta").mode(mode).option("overwriteSchema", "true").save(s"$path/manifest")

  private def damaged(path: String): String = {
    val text = message(Warehouse.open(spark, path))
    assert(text.startsWith("[CHRONOSKETCH_WAREHOUSE_DAMAGED]"), text)
    text
  }

  test("concurrent writers: each row is added once, and each append has a step of its own") {
    val (path, w) = created()
    val steps = atOnce((0 until 3).map(i =>
      () => Warehouse.open(spark, path).append(rows(i * 100L, i * 100L + 100)).step
    ))
    assertEquals(steps.toSet, (1L to 3L).toSet)
    assertRows(w, 300)
  }

  test("a writer that stops after its commit has added all rows, and repeating it adds none") {
    val (path, w) = created()
    val stopping = over(path, new StoppingStore(store(path), after = true))
    intercept[IllegalStateException](stopping.append(rows(0, 100), batch = Some("loader" -> 1L)))
    assert(!w.append(rows(0, 100), batch = Some("loader" -> 1L)).isNew)
    assertRows(w, 100)
  }

  test("the session's Delta settings do not affect the manifest, and are not changed") {
    val (path, w) = created()
    val settings = Seq(
      "spark.databricks.delta.stalenessLimit" -> "1h",
      "spark.databricks.delta.write.txnAppId" -> "mine",
      "spark.databricks.delta.write.txnVersion" -> "7",
      "spark.databricks.delta.autoCompact.enabled" -> "true",
      "spark.databricks.delta.optimizeWrite.enabled" -> "true",
      "spark.databricks.delta.properties.defaults.enableDeletionVectors" -> "true",
      "spark.databricks.delta.properties.defaults.columnMapping.mode" -> "name",
      "spark.databricks.delta.properties.defaults.isolationLevel" -> "Serializable",
      "spark.sql.sources.partitionOverwriteMode" -> "dynamic"
    )
    withConf(settings: _*) {
      val (path, w) = created()
      (0 until 2).foreach(i => Warehouse.open(spark, path).append(rows(i * 100L, i * 100L + 100)))
      assertEquals(w.vacuum(-60000), Nil)
      assertEquals(store(path).storedStates().map(_.version), Seq(2L))
      assertRows(w, 200)
      settings.foreach { case (key, value) => assertEquals(spark.conf.get(key), value) }
      // the user's own transaction can still be committed
      sql("SELECT 1 AS a").write.format("delta").save(s"$path/mine")
      assertEquals(spark.read.format("delta").load(s"$path/mine").count(), 1L)
    }
    withConf("spark.sql.files.ignoreMissingFiles" -> "true") {
      w.append(rows(0, 10))
      val newest = files(s"$path/manifest/version=1").filter(_.toString.endsWith(".parquet"))
      assertEquals(newest.size, 1)
      Files.delete(newest.head)
      // simulate another process, which has not seen that version
      val moved = folder()
      copy(s"$path/manifest", s"$moved/manifest")
      damaged(moved)
    }
  }

  /** Copies a folder, because cached knowledge of the old folder does not apply to the new one. */
  private def copy(from: String, to: String): Unit =
    Files.walk(Path.of(from)).forEach { file =>
      Files.copy(file, Path.of(to).resolve(Path.of(from).relativize(file)))
      ()
    }

  test("a table that is not a manifest, or was changed, is refused with a named condition") {
    val (path, w) = created()
    w.append(rows(0, 10))
    write(path, "SELECT 2L AS version, 'no manifest' AS text")
    assert(damaged(path).contains("version 2 is cut short"))
    write(path, "SELECT 2L AS version, 'no manifest' AS text")
    assert(damaged(path).contains("2 rows of its newest version"))
    val later = spark.read.format("delta").load(s"$path/manifest").where("version = 1").head().getString(1)
    write(path, s"SELECT 3L AS version, '${later.replace("\"", "\\\"")}' AS text")
    assert(damaged(path).contains("version 3 says that it is 1"))
    write(path, "SELECT 1L AS version, 'a' AS text WHERE false", SaveMode.Overwrite)
    assert(damaged(path).contains("without rows"))
    write(path, "SELECT 1 AS number", SaveMode.Overwrite)
    assert(damaged(path).contains("the columns"))
    val (broken, _) = created()
    val moved = folder()
    copy(s"$broken/manifest", s"$moved/manifest")
    Files.writeString(Path.of(moved, "manifest", "_delta_log", f"${0}%020d.json"), "")
    damaged(moved)
  }

  test("a table that was restored to an older state is detected at the next commit") {
    val (path, w) = created()
    (0 until 2).foreach(i => w.append(rows(i * 10L, i * 10L + 10)))
    val kept = spark.read.format("delta").load(s"$path/manifest").where("version < 2")
    kept.localCheckpoint().write.format("delta").mode(SaveMode.Overwrite).save(s"$path/manifest")
    // Delta already had version 2, and would ignore it from now on
    val refused = message(Warehouse.open(spark, path).append(rows(20, 30)))
    assert(refused.startsWith("[CHRONOSKETCH_WAREHOUSE_COMMIT_UNKNOWN]"), refused)
    assert(refused.contains("passes over version 2"), refused)
  }

  test("a session without Delta says what it needs") {
    val (path, _) = created()
    val without = SparkSuite.session.newSession()
    val refused = message(Warehouse.create(without, folder(), "v", store = ManifestStores.Delta))
    assert(refused.startsWith("[CHRONOSKETCH_WAREHOUSE_NEEDS_DELTA] warehouse create needs"), refused)
    assert(refused.contains("org.apache.spark.sql.delta.catalog.DeltaCatalog"), refused)
    assertEquals(condition(Warehouse.open(without, s"$path/none")), "CHRONOSKETCH_WAREHOUSE_NOT_FOUND")
  }

  test("without new commits, reading the newest version starts no Spark job") {
    val (path, w) = created()
    w.append(rows(0, 10))
    // an empty folder that Delta keeps next to its log
    assert(Files.isDirectory(Path.of(path, "manifest", "_delta_log", "_staged_commits")))
    assertEquals(described(assertEquals(Warehouse.open(spark, path).state.version, 1L)), Nil)
    w.append(rows(10, 20))
    assertEquals(Warehouse.open(spark, path).state.version, 2L)
  }

  test("a Delta store in SQL, and by a registered name") {
    val path = folder()
    withConf(
      "spark.sql.catalog.chronosketch" -> "chronosketch.spark.warehouse.call.WarehouseCatalog"
    ) {
      sql(s"CALL chronosketch.create('$path', 'v', store => 'delta')")
      rows(0, 100).createOrReplaceTempView("hundred")
      sql(s"CALL chronosketch.append('$path', 'hundred')")
      sql(s"CALL chronosketch.register('$path', 'on_delta')")
      assertEquals(one("SELECT value FROM warehouse_quantile('on_delta', 0.5)"), 49L)
      // a view is analysed again each time
      sql("CREATE OR REPLACE TEMP VIEW median AS SELECT value FROM warehouse_quantile('on_delta', 0.5)")
      assertEquals(one("SELECT value FROM median"), 49L)
      val described = sql(s"CALL chronosketch.describe('$path')").head().getAs[String]("commits")
      assertEquals(described, "a Delta table, its log written by Delta's LogStore for file:")
    }
  }
}
