package chronosketch.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.{call_function, lit, udf}

/** Tests that a user's function with one of our names takes precedence. Ours stay available by their full names. */
class UserFunctionsSuite extends SparkSuite {
  private def attached(): SparkSession = {
    val session = BareSession.beside(spark)
    Attach.attach(session)
    session
  }

  private val sessions: Seq[(String, () => SparkSession)] =
    Seq("the extension from the start" -> (() => spark.newSession()), "attached" -> (() => attached()))

  private def int(session: SparkSession, query: String): Int = session.sql(query).head().getInt(0)

  sessions.foreach { case (kind, start) =>
    test(s"a temporary SQL function takes precedence: $kind") {
      val session = start()
      session.sql("CREATE TEMPORARY FUNCTION n_least(x INT) RETURNS INT RETURN x + 41")
      assertEquals(int(session, "SELECT n_least(1)"), 42)
      assertEquals(int(session, "SELECT N_LEAST(x => 1)"), 42)
      assertEquals(
        int(session, "SELECT n_least(max(id)) + 0 FROM (SELECT CAST(id AS INT) AS id FROM range(3))"),
        43
      )
      assertEquals(session.range(1).select(call_function("n_least", lit(1))).head().getInt(0), 42)
      assertEquals(
        session.sql("SELECT chronosketch_n_least(id, 2) FROM range(9)").head().getSeq[Long](0),
        Seq(0L, 1L)
      )
      // the Scala functions still call ours
      val rows = session.range(9)
      assertEquals(rows.agg(functions.n_least(rows("id"), 2)).head().getSeq[Long](0), Seq(0L, 1L))
      session.sql("DROP TEMPORARY FUNCTION n_least")
      assertEquals(session.sql("SELECT n_least(id, 2) FROM range(9)").head().getSeq[Long](0), Seq(0L, 1L))
      assertEquals(one("SELECT array_size(n_least(id, 2)) FROM range(9)"), 2)
    }

    test(s"a UDF registered from Scala takes precedence: $kind") {
      val session = start()
      session.udf.register("passing", (x: Int) => x * 2)
      session.udf.register("is_sketch", udf((x: String) => x.length))
      assertEquals(int(session, "SELECT passing(21)"), 42)
      assertEquals(int(session, "SELECT is_sketch('four')"), 4)
      assertEquals(session.sql("SELECT chronosketch_is_sketch(X'00')").head().getBoolean(0), false)
    }

    test(s"a temporary table function takes precedence: $kind") {
      val session = start()
      session.sql("CREATE TEMPORARY FUNCTION hopping_sketch(x INT) RETURNS TABLE(a INT) RETURN SELECT x + 1")
      assertEquals(int(session, "SELECT a FROM hopping_sketch(41)"), 42)
    }

    test(s"a persistent function takes precedence in its own database only: $kind") {
      val session = start()
      val db = s"own_functions_${kind.hashCode.abs}"
      session.sql(s"CREATE DATABASE $db")
      try {
        session.sql(s"CREATE FUNCTION $db.n_greatest(x INT) RETURNS INT RETURN x + 40")
        session.sql(
          s"CREATE FUNCTION $db.chronosketch_advise(x INT) RETURNS TABLE(a INT) RETURN SELECT x + 1"
        )
        assertEquals(session.sql("SELECT n_greatest(id, 1) FROM range(9)").head().getSeq[Long](0), Seq(8L))
        session.sql(s"CREATE VIEW $db.answers AS SELECT $db.n_greatest(2) AS a")
        session.sql(s"USE $db")
        assertEquals(int(session, "SELECT n_greatest(2)"), 42)
        assertEquals(int(session, "SELECT n_greatest(x => 2) + 1"), 43)
        session.sql("CREATE VIEW bare AS SELECT n_greatest(2) AS a")
        session.sql("USE default")
        assertEquals(int(session, s"SELECT a FROM $db.bare"), 42)
        assertEquals(session.sql("SELECT n_greatest(id, 1) FROM range(9)").head().getSeq[Long](0), Seq(8L))
      } finally {
        session.sql("USE default")
        session.sql(s"DROP DATABASE $db CASCADE")
      }
    }
  }

  test("a view keeps calling the function that it was created with") {
    val session = spark.newSession()
    session.sql("CREATE TEMPORARY VIEW before AS SELECT n_least(id, 2) AS a FROM range(9)")
    session.sql("CREATE TEMPORARY FUNCTION n_least(x BIGINT, n INT) RETURNS ARRAY<BIGINT> RETURN array(42L)")
    session.sql("CREATE TEMPORARY VIEW after AS SELECT n_least(3L, 2) AS a")
    assertEquals(session.table("before").head().getSeq[Long](0), Seq(0L, 1L))
    assertEquals(session.table("after").head().getSeq[Long](0), Seq(42L))
  }

  test("functions that existed before attach stay, in SQL and from Scala") {
    val session = BareSession.beside(spark)
    session.sql("CREATE TEMPORARY FUNCTION n_least(x INT) RETURNS INT RETURN x + 41")
    session.udf.register("passing", (x: Int) => x * 2)
    Attach.attach(session)
    assertEquals(int(session, "SELECT n_least(1)"), 42)
    assertEquals(int(session, "SELECT passing(21)"), 42)
  }
}
