package chronosketch.spark

import java.nio.file.Files

import org.apache.spark.sql.SparkSession

import chronosketch.spark.table.Reference
import chronosketch.spark.warehouse.Warehouse

class FunctionTableSuite extends SparkSuite {

  /** The folder of the warehouse that the examples query. */
  private lazy val data: String = {
    val folder = Files.createTempDirectory("examples")
    Warehouse.create(
      spark,
      s"$folder/latencies",
      "latency"
    ).append(sql("SELECT id AS latency FROM range(1, 101)"))
    s"$folder/"
  }

  /** A session with Delta that has the roll-up and the history that the examples query. */
  private lazy val withTables: SparkSession = {
    val session = DeltaSession.session
    session.conf.set("spark.sql.catalog.chronosketch", "chronosketch.spark.warehouse.call.WarehouseCatalog")
    val feed = "USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    session.sql(s"CREATE TABLE requests $feed AS SELECT timestamp_seconds(id * 60) AS ts, id FROM range(100)")
    session.sql(
      "CALL chronosketch.rollup('requests', 'requests_hourly', time => 'ts', bucket => '1 hour', values => map('latency', 'id'))"
    ).collect()
    session.sql("CALL chronosketch.follow('requests', 'requests_history', 'id')").collect()
    session
  }

  override def afterAll(): Unit = {
    Seq("requests", "requests_hourly", "requests_history").foreach(table =>
      DeltaSession.session.sql(s"DROP TABLE IF EXISTS $table")
    )
    super.afterAll()
  }

  /** The result of a query in the form of the examples in Spark's documentation: JSON without quotes around an outermost string. */
  private def resultText(query: String): String = {
    val session = if (Seq("rollup_now", "history_at").exists(query.contains)) withTables else spark
    val json = session.sql(query.replace("/data/", data)).toJSON.collect()
    assertEquals(json.length, 1, query)
    val text = json(0)
    val value = text.substring(text.indexOf(':') + 1, text.length - 1)
    if (value.startsWith("\"")) value.substring(1, value.length - 1) else value
  }

  (FunctionTable.all ++ FunctionTable.tables).foreach { f =>
    f.examples.foreach { e =>
      test(s"${f.name}: ${e.query}") {
        assertEquals(resultText(e.query), e.answer)
        val full = e.query.replace(f.name + "(", f.fullName + "(")
        assertEquals(resultText(full), e.answer)
      }
    }

    test(s"${f.name}: DESCRIBE FUNCTION EXTENDED shows arguments, an example and since") {
      val text = sql(s"DESCRIBE FUNCTION EXTENDED ${f.name}").collect().map(_.getString(0)).mkString("\n")
      f.arguments.foreach(a => assert(text.contains(s"* ${a.name} - "), text))
      assert(text.contains("Examples:"), text)
      assert(text.contains(s"Since: ${f.since}"), text)
      assert(text.contains(f.usage), text)
    }
  }

  test("every function has a short name that Spark does not use, and a full name") {
    val names = sql("SHOW ALL FUNCTIONS").collect().map(_.getString(0)).toSet
    (FunctionTable.all ++ FunctionTable.tables).foreach { f =>
      assert(names.contains(f.name), f.name)
      assert(names.contains(f.fullName), f.fullName)
    }
  }

  test("docs/reference.md agrees with the table and the families; `make reference` writes it") {
    assertEquals(Files.readString(Reference.File), Reference.page(spark))
  }

  test("a usage begins with a sentence that begins with a verb and fits one line") {
    (FunctionTable.all ++ FunctionTable.tables).foreach { f =>
      assert(f.summary.matches("[A-Z][a-z]+s [^\\n]+\\."), f.summary)
      // Python's docstring begins with the same sentence, which has to fit one line
      assert(f.summary.length <= 103, f.summary)
    }
  }
}
