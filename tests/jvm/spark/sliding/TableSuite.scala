package chronosketch.spark.sliding

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import chronosketch.spark.sliding.functions.SparkFunctions

/** Compares EXPLAIN with each row of the tables in docs/sliding.md, which list the structure of each function and the declined calls. */
class TableSuite extends SlidingSuite {
  private def view(): Unit = spark.range(0, 40, 1, 2).selectExpr(
    "id",
    "pmod(hash(id, 1), 3) AS k",
    "pmod(hash(id, 2), 20) AS i",
    "CAST(pmod(hash(id, 2), 20) AS INT) AS t",
    "CAST(id AS DOUBLE) / 3 AS x",
    "CAST(id AS DECIMAL(9,2)) AS c",
    "CAST(id AS DECIMAL(17,2)) AS c17",
    "CAST(id AS DECIMAL(30,2)) AS wide",
    "concat('n', id) AS name",
    "date_add(DATE'2024-01-01', CAST(id AS INT)) AS day",
    "timestamp_seconds(id * 3600) AS ts"
  ).crossJoin(sql(
    "SELECT quantile_sketch_agg(1) AS s, window_sketch_agg(1, 1) AS w"
  )).createOrReplaceTempView("listed")

  private val lines = Files.readAllLines(Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent)
    .map(_.resolve("docs/sliding.md")).find(Files.exists(_)).get).asScala.toSeq

  private def table(heading: String): Seq[Seq[String]] =
    lines.dropWhile(
      _ != s"## $heading"
    ).drop(1).takeWhile(!_.startsWith("## ")).filter(_.startsWith("|")).drop(2)
      .map(_.split('|').toSeq.map(_.trim).drop(1))

  /** The EXPLAIN text for a function of Spark's, in whichever operator it runs. */
  private def explained(function: String, order: String, frame: String): String =
    withConf(SlidingConf.Accelerate -> "all") {
      val query = s"SELECT $function OVER (PARTITION BY k $order $frame) AS q FROM listed"
      unpredicted(sql(s"EXPLAIN FORMATTED $query").head().getString(0))
    }

  for (Seq(function, _, order, frame, structure) <- table("Which structure slides"))
    test(s"$function $order $frame") {
      view()
      val text = explained(function, order, frame)
      assert(text.contains(s"Structure: $structure\n"), text)
      assert(!text.contains("Fallback") && !text.contains(") Window\n"), text)
    }

  for (Seq(function, order, frame, why) <- table("What is declined"))
    test(s"declined: $function $order $frame") {
      view()
      val text = explained(function, order, frame)
      val (ours, sparks) =
        (s"[Spark's own operator: $why]", s"Reasons [1]: [${function.takeWhile(_ != '(')}: $why]\n")
      assert(text.contains(ours) || text.contains(sparks), text)
      assert(!text.contains("SketchWindow"), text)
    }

  test("every function of the setting is in the table") {
    val listed = table("Which structure slides").map(_.head.takeWhile(_ != '(')).toSet
    assertEquals(SparkFunctions.Names.diff(listed), Set.empty[String])
  }
}
