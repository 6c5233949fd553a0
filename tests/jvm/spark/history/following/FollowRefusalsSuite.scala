package chronosketch.spark.history.following

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import chronosketch.spark.TestLog
import chronosketch.spark.following.Sources

/** Tests what histories refuse: arguments, tables that are not theirs, replaced tables, and changes that are gone. */
class FollowRefusalsSuite extends HistoryTests {

  private def check(condition: String, texts: String*)(body: => Any): String = {
    val (found, text) = TestLog.expectingFailure(refused(body))
    assertEquals(found, condition, text)
    texts.foreach(expected => assert(text.contains(expected), s"$expected\n$text"))
    text
  }

  private def folderOf(table: String): Path =
    Path.of(new org.apache.hadoop.fs.Path(Sources.location(spark, table)).toUri.getPath)

  private def deleteFiles(table: String): Unit = {
    val walked = Files.walk(folderOf(table))
    try walked.iterator.asScala.filter(_.toString.endsWith(".parquet")).toSeq.foreach(Files.delete)
    finally walked.close()
  }

  test("arguments are refused before anything is read") {
    source("wrong")
    check("FOLLOW_ARGUMENT", "It must be a number from 0 to 0.5")(sql(
      "CALL chronosketch.follow('wrong', 'wrong_history', 'amount', epsilon => 0.7)"
    ))
    check("FOLLOW_ARGUMENT", "0 or more")(follow("wrong", ", start => -1"))
    check(
      "FOLLOW_ARGUMENT",
      "one of 'error', 'rebuild', 'continue'"
    )(follow("wrong", ", on_replace => 'drop'"))
    check("NO_SUCH_VERSION", "wrong has versions 0 to 0, not version 7. Give a start of at most 0.")(
      follow("wrong", ", start => 7")
    )
    check("INTO_NOT_FOUND", "There is no schema nowhere", "Create it: CREATE SCHEMA nowhere")(
      sql("CALL chronosketch.follow('missing', 'nowhere.history', 'amount')")
    )
    check("SOURCE_NOT_FOUND", "no table missing")(
      sql("CALL chronosketch.follow('missing', 'wrong_history', 'amount')")
    )
    Seq(
      "version" -> "by => array('id AS version AS its_version')",
      "(id + 1)" -> "by => array('upper(region) AS region')"
    ).zip(Seq("id AS version", "id + 1")).foreach { case ((name, _), by) =>
      check("NAME_TAKEN", s"by has a column '$name'")(
        sql(s"CALL chronosketch.follow('wrong', 'wrong_history', 'amount', by => array('$by'))")
      )
    }
    check("NAME_TAKEN", "two columns 'REGION'", "by => array('REGION AS another_REGION')")(
      sql(
        "CALL chronosketch.follow('wrong', 'wrong_history', 'amount', by => array('region', 'upper(region) AS REGION'))"
      )
    )
    assert(!spark.catalog.tableExists("wrong_history"))
  }

  test("questions about versions that a history does not have are refused") {
    source("asked")
    check("NO_HISTORY", "CALL chronosketch.follow")(sql("SELECT * FROM history_at('asked_history', 0)"))
    follow("asked")
    check("NO_SUCH_VERSION", "asked_history has versions 0 to 0, not version 3")(
      sql("SELECT * FROM history_at('asked_history', 3)")
    )
    check("FOLLOW_ARGUMENT", "left out if version is given")(
      sql("SELECT * FROM history_at('asked_history', 0, TIMESTAMP'2026-01-01')")
    )
    check("FOLLOW_ARGUMENT", "given, if timestamp is not")(sql("SELECT * FROM history_at('asked_history')"))
    check("FOLLOW_ARGUMENT", "a constant whole number")(sql("SELECT * FROM history_at('asked_history', 'a')"))
    check("NOT_A_HISTORY", "asked is a table")(sql("SELECT * FROM history_at('asked', 0)"))
  }

  test("other arguments than a history began with are refused, also if nothing is new") {
    source("began")
    follow("began")
    Seq(
      "value => 'amount + 1'" -> "value => 'amount', not 'amount + 1'",
      "value => 'amount', where => 'id > 0'" -> "where => NULL, not 'id > 0'",
      "value => 'amount', start => 1" -> "start => 0, not 1"
    ).foreach { case (arguments, text) =>
      check("HISTORY_DIFFERS", text)(sql(
        s"CALL chronosketch.follow('began', 'began_history', by => array('region'), epsilon => 0.05, $arguments)"
      ))
    }
    check("HISTORY_DIFFERS", "by => array('region'), not array(), and with epsilon => 0.05, not 0.01")(
      sql("CALL chronosketch.follow('began', 'began_history', 'amount')")
    )
  }

  test("a table that is not a history, or of a newer format, is left as it is") {
    source("mine")
    run("CREATE TABLE mine_history (kind STRING) USING delta")
    check("NOT_A_HISTORY")(follow("mine"))
    run("DROP TABLE mine_history")
    follow("mine")
    run("ALTER TABLE mine_history SET TBLPROPERTIES ('a commit' = 'without a note')")
    val newer = "replace(step.definition, '\"format\":1', '\"format\":2')"
    run(s"UPDATE mine_history SET step.definition = $newer WHERE kind = 'step'")
    check("HISTORY_TOO_NEW", "has format 2, and this chronosketch reads format 1")(follow("mine"))
    run("UPDATE mine_history SET step.definition = '{}' WHERE kind = 'step'")
    check("NOT_A_HISTORY", "its definition is '{}'")(follow("mine"))
    run("DELETE FROM mine_history WHERE kind = 'step'", "INSERT INTO mine_history (kind) VALUES ('open')")
    check("NOT_A_HISTORY", "it has rows, but none of a step")(follow("mine"))
  }

  test("a replaced table is refused, and followed anew or on by its feed on demand") {
    source("replaced")
    insert("replaced", 1)
    follow("replaced")
    run(
      s"CREATE OR REPLACE TABLE replaced (id INT, region STRING, amount INT) USING delta TBLPROPERTIES ($Feed)"
    )
    insert("replaced", 2)
    check("SOURCE_REPLACED", "on_replace => 'continue'", "on_replace => 'rebuild'")(follow("replaced"))
    assertEquals(follow("replaced", ", on_replace => 'continue'"), Some((2L, 3L)))
    checkVersions("replaced", 0, 1, 2, 3)
    create("replaced")
    insert("replaced", 3)
    assert(!check("SOURCE_REPLACED")(follow("replaced", ", on_replace => 'continue'")).contains("'continue'"))
    assertEquals(follow("replaced", ", on_replace => 'rebuild'"), Some((0L, 1L)))
    checkVersions("replaced", 0, 1)
    source("replaced_too")
    check(
      "HISTORY_DIFFERS",
      "source => 'spark_catalog.default.replaced', not 'spark_catalog.default.replaced_too'"
    )(
      sql(
        "CALL chronosketch.follow('replaced_too', 'replaced_history', 'amount', by => array('region'), epsilon => 0.05, on_replace => 'rebuild')"
      )
    )
  }

  test("changes that are gone are named, with the version with which a history can begin") {
    source("gone", s"$Feed, 'delta.columnMapping.mode' = 'name'")
    follow("gone")
    insert("gone", 1)
    insert("gone", 2)
    withConf("spark.sql.files.ignoreMissingFiles" -> "true")(
      check("CHANGES_COULD_BE_SKIPPED")(follow("gone"))
    )
    deleteFiles("gone")
    check(
      "SOURCE_FILES_GONE",
      "All changes are known from version 2 on. To begin there: DROP TABLE IF EXISTS gone_history, then follow with start => 2.",
      "you can still ask gone_history for versions 0 to 0."
    )(follow("gone"))
    run("ALTER TABLE gone RENAME COLUMN amount TO price")
    check("SOURCE_SCHEMA_CHANGED")(follow("gone"))
  }

  test("a first step after VACUUM begins with the first version that is left") {
    source("vacuumed")
    insert("vacuumed", 1, 2, 3)
    run("UPDATE vacuumed SET amount = 7 WHERE id = 1", "UPDATE vacuumed SET amount = 8 WHERE id = 1")
    withConf("spark.databricks.delta.retentionDurationCheck.enabled" -> "false")(
      run("VACUUM vacuumed RETAIN 0 HOURS")
    )
    insert("vacuumed", 4)
    val step = follow("vacuumed")
    assertEquals(step.map(_._1), Some(3L))
    checkVersions("vacuumed", 3, step.get._2)
  }

  test("deletes of values that were not there are refused") {
    source("unfit")
    insert("unfit", 1)
    val moved = "CALL chronosketch.follow('unfit', 'unfit_history', " +
      "'amount + CAST(extract(HOUR FROM timestamp_seconds(0)) AS INT)')"
    withConf("spark.sql.session.timeZone" -> "UTC")(sql(moved).collect())
    run("DELETE FROM unfit")
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo")(
      check(
        "CHANGES_DO_NOT_FIT",
        "versions 2 to 2 delete values that were not there",
        "follow with start => 0"
      )(
        sql(moved)
      )
    )
    assertEquals(sql(moved).head().getLong(1), 2L)
  }

  test("a history that was set back goes on in a copy") {
    source("back")
    follow("back")
    insert("back", 1)
    follow("back")
    run("RESTORE back_history TO VERSION AS OF 1", "DROP TABLE IF EXISTS back_history_again")
    val text = check("HISTORY_SET_BACK", "before step 2")(follow("back"))
    run(text.substring(text.indexOf("CREATE TABLE"), text.indexOf(" SQLSTATE")))
    val again = plan("back").copy(into = "back_history_again")
    assertEquals(Histories.follow(spark, again).map(_.last), Some(1L))
  }
}
