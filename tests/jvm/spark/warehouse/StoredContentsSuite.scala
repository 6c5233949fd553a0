package chronosketch.spark.warehouse

import java.nio.file.{Files, Path, StandardCopyOption}

import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.warehouse.manifest.{ManifestEntry, State}

/** Tests that files in a warehouse's folder that differ from its manifest are refused with a named condition before they are used. */
class StoredContentsSuite extends WarehouseTests {
  private def rows(from: Long, until: Long): DataFrame = spark.range(from, until).selectExpr("id AS v")

  private def damaged(word: String)(body: => Any): Unit = {
    val text = message(body)
    assert(text.startsWith("[CHRONOSKETCH_WAREHOUSE_DAMAGED]") && text.contains(word), text)
  }

  private def partsOf(path: String, entry: ManifestEntry): Seq[Path] =
    entry.files.map(file => Path.of(path, "runs", entry.id, file.name))

  /** Replaces the only file of a run or live batch by another warehouse's, and commits a manifest with the new length. */
  private def withFileOf(other: Path, path: String, w: Warehouse): Unit = {
    val state = w.state
    val entry = state.entries.head
    val part = partsOf(path, entry).head
    Files.copy(other, part, StandardCopyOption.REPLACE_EXISTING)
    // delete Hadoop's own checksum, which only exists on a local disk
    Files.delete(part.resolveSibling(s".${part.getFileName}.crc"))
    val file = entry.files.map(_.copy(bytes = Files.size(other)))
    val next = state.copy(
      version = state.version + 1,
      commit = State.newId(),
      runs = state.runs.map(run => if (run.id == entry.id) run.copy(files = file) else run),
      open = state.open.map(step =>
        step.copy(live = step.live.map(live => if (live.id == entry.id) live.copy(files = file) else live))
      )
    )
    assert(log(path).commit(next))
  }

  private def fileOf(rows: DataFrame, by: Seq[String]): Path = {
    val path = folder()
    val other = Warehouse.create(spark, path, "v", by)
    other.append(rows)
    partsOf(path, other.state.runs.head).head
  }

  test("create does not open an existing warehouse with other columns or options") {
    val path = folder()
    def create(
        value: String = "v",
        by: Seq[String] = Seq("k"),
        epsilon: Double = 0.05,
        kappa: Int = 4,
        store: String = "files"
    ): Warehouse = Warehouse.create(spark, path, value, by, epsilon, kappa, ifNotExists = true, store)
    val made = create()
    made.append(sql("SELECT id AS v, 1 AS k FROM range(10)"))
    assertEquals(create().state.rows, 10L)
    Seq[() => Warehouse](
      () => create(value = "w"),
      () => create(by = Nil),
      () => create(by = Seq("k", "j")),
      () => create(epsilon = 0.06),
      () => create(kappa = 5),
      () => create(store = "delta"),
      () =>
        Warehouse.createWithin(spark, path, "v", Seq("k"), memory = 1L << 26, kappa = 4, ifNotExists = true)
    ).foreach(other => assertEquals(condition(other()), "CHRONOSKETCH_WAREHOUSE_EXISTS"))
    assertEquals(made.state.version, 1L)
  }

  test("a manifest file under another version's name is refused, and blocks further commits") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v")
    w.append(rows(0, 100))
    val newest = files(path).filter(_.toString.contains("/manifest/")).max
    val copied = newest.resolveSibling(f"${7}%020d.json")
    Files.copy(newest, copied)
    Seq[() => Any](
      () => w.quantile(phis),
      () => w.append(rows(100, 200)),
      () => w.compact(),
      () => w.vacuum(-60000),
      () => Warehouse.open(spark, path)
    ).foreach(use => damaged("says that it is version 1")(use()))
    Files.delete(copied)
    w.append(rows(100, 200))
    check(w.quantile(phis), truth(rows(0, 200), Nil, "v"), 0)
  }

  private val others: Seq[(String, SparkSession => (DataFrame, Seq[String]))] = Seq(
    "has the columns v TIMESTAMP, but should have v BIGINT" ->
      (s => (s.range(4000).selectExpr("timestamp_seconds(id) AS v"), Nil)),
    "has the columns v INT, but should have v BIGINT" ->
      (s => (s.range(4000).selectExpr("CAST(id AS INT) AS v"), Nil)),
    "has the columns k INT, v BIGINT, but should have v BIGINT" ->
      (s => (s.range(4000).selectExpr("id AS v", "1 AS k"), Seq("k"))),
    "has 3999 rows, but should have 4000" -> (s => (s.range(3999).selectExpr("id AS v"), Nil))
  )

  others.foreach { case (refusal, source) =>
    test(s"another warehouse's file in a run is refused by queries and by merges: $refusal") {
      val path = folder()
      val w = Warehouse.create(spark, path, "v", epsilon = 0.1, kappa = 1)
      w.append(rows(0, 4000))
      val (rowsOfOther, by) = source(spark)
      withFileOf(fileOf(rowsOfOther, by), path, w)
      damaged(refusal)(w.quantile(phis).collect())
      damaged(refusal)(w.append(rows(4000, 8000)))
      assertEquals(w.state.runs.size, 2)
    }
  }

  test("another warehouse's file in a live batch is refused before its step loses a row") {
    others.filterNot(_._1.contains("TIMESTAMP")).foreach { case (_, source) =>
      val path = folder()
      val w = Warehouse.create(spark, path, "v", epsilon = 0.1)
      new ManualStream(spark, w, rows(0, 1)).take(0, rows(0, 4000).coalesce(1))
      val (rowsOfOther, by) = source(spark)
      val before = w.state.live
      withFileOf(fileOf(rowsOfOther.limit(100), by), path, w)
      damaged("gave 100 rows, but should have 4000")(w.endStep())
      assertEquals(w.state.live.map(_.id), before.map(_.id))
    }
  }

  test("an append does not commit to a warehouse that was recreated in the meantime") {
    val path = folder()
    Warehouse.create(spark, path, "v", epsilon = 0.05).append(rows(0, 10))
    val again = new OvertakenStore(
      log(path),
      () => {
        files(path).foreach(Files.delete(_))
        Warehouse.create(spark, path, "v", kappa = 3)
        ()
      }
    )
    damaged("another warehouse was created there")(over(path, again).append(rows(10, 20)))
    assertEquals(Warehouse.open(spark, path).state.rows, 0L)
  }
}
