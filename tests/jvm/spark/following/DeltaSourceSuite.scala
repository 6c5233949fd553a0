package chronosketch.spark.following

/** Tests versions, changes and refusals of Delta tables as sources. */
class DeltaSourceSuite extends FollowingSuite {

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
    assertEquals(source.name, "spark_catalog.default.fed")
    source.requireChanges()
    checkChanges(source, "fed", 1, source.latest)
    assert(source.time(3) <= source.time(4))
  }

  test("a source keeps its identity until its table is replaced") {
    create("kept")
    run("INSERT INTO kept VALUES (1, 'r1', 1)")
    val first = open("kept")
    val last = LastVersion(first.latest, first.identity, first.time(first.latest))
    run("INSERT INTO kept VALUES (2, 'r1', 1)")
    val next = open("kept", Some(last))
    assertEquals((next.latest, next.identity, next.replaced(last)), (2L, first.identity, None))
    run("ALTER TABLE kept SET TBLPROPERTIES ('a' = 'b')")
    assertEquals(open("kept", Some(last)).replaced(last), None)
    run(s"CREATE OR REPLACE TABLE kept (id INT, region STRING, amount INT) USING delta TBLPROPERTIES ($Feed)")
    assert(open(
      "kept",
      Some(last)
    ).replaced(last).get.startsWith(s"its id was ${first.identity} up to version 1"))
    create("kept")
    assert(open("kept", Some(last)).replaced(last).nonEmpty)
  }
}
