package chronosketch.spark.older

import chronosketch.spark.history.following.HistoryTests

/** Tests that a history of an older version answers, and goes on to follow its table. */
class OlderHistorySuite extends HistoryTests {
  private val table = "older_orders"

  test("all versions of a history answer, and it takes new ones") {
    val data = OlderData.copy("history")
    val tables = Seq(table, s"${table}_history")
    try {
      tables.foreach(name => run(s"CREATE TABLE $name USING delta LOCATION 'file:${data.resolve(name)}'"))
      checkVersions(table, 1, 2, 3, 4)
      assertEquals(follow(table), None)
      run(s"UPDATE $table SET amount = 1000 WHERE id = 61", s"DELETE FROM $table WHERE id = 62")
      assertEquals(follow(table), Some((5L, 6L)))
      checkVersions(table, 1L to 6L: _*)
      run(s"INSERT INTO $table VALUES (1000, 'r1', 3)")
      assertEquals(follow(table), Some((7L, 7L)))
      checkVersions(table, 4, 7)
    } finally tables.foreach(name => run(s"DROP TABLE IF EXISTS $name"))
  }
}
