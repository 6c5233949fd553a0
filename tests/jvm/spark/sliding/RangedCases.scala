package chronosketch.spark.sliding

/** Frames, orders and keys for tests of windows in ranges. The suites test some combinations of them, and [[RangesCampaign]] all.
  */
trait RangedCases extends RangedQueries {

  /** The number of rows: about 75 in each range if there are most ranges. */
  protected val allRows = 1200

  protected def view(rows: Int = allRows, partitions: Int = 4): Unit =
    spark.range(0, rows, 1, partitions).selectExpr(
      "id",
      "pmod(hash(id, 9), 1000000) AS any",
      "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 500)) AS v",
      "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 300)) AS t",
      "int(pmod(hash(id, 7), 40)) AS i",
      """CASE pmod(hash(id, 4), 40) WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D
      |  WHEN 4 THEN double('infinity') WHEN 5 THEN double('-infinity') ELSE pmod(hash(id, 5), 2000) / 10.0D - 100 END AS d""".stripMargin,
      "date_add(DATE'2024-01-01', int(pmod(hash(id, 8), 200))) AS day",
      "IF(pmod(hash(id, 6), 10) = 0, NULL, timestamp_seconds(pmod(hash(id, 8), 100000))) AS ts",
      "CAST(pmod(hash(id, 3), 500) AS DECIMAL(9,2)) AS c",
      "CASE pmod(hash(id, 4), 5) WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808 ELSE pmod(hash(id, 3), 50) END AS extreme",
      "repeat('x', int(id % 40)) AS text"
    ).createOrReplaceTempView("ranged")

  protected val rangeCounts: Seq[Int] = Seq(2, 5, 16)

  // unique order keys, so that every plan has the same frames
  protected val rowOrders: Seq[RangedWindows] =
    Seq("id", "id DESC", "any + id / 1e9D", "IF(id % 7 = 0, -id, id) DESC NULLS FIRST").map { order =>
      val frames = Seq(
        "9 PRECEDING AND CURRENT ROW",
        "CURRENT ROW AND 12 FOLLOWING",
        "20 PRECEDING AND 3 FOLLOWING",
        "5 PRECEDING AND 2 PRECEDING",
        "2 FOLLOWING AND 5 FOLLOWING",
        "600 PRECEDING AND 280 FOLLOWING",
        "2000 PRECEDING AND CURRENT ROW"
      )
      RangedWindows(
        s"ORDER BY $order ROWS",
        frames.map(f => s"ORDER BY $order ROWS BETWEEN $f"),
        "ranged"
      )
    }

  private val rangeFrames = Seq(
    "t" -> Seq(
      "10 PRECEDING AND CURRENT ROW",
      "3 PRECEDING AND 7 FOLLOWING",
      "1000 PRECEDING AND 1000 FOLLOWING"
    ),
    "i" -> Seq("1 PRECEDING AND 1 FOLLOWING", "CURRENT ROW AND CURRENT ROW", "5 PRECEDING AND 3 PRECEDING"),
    "d" -> Seq(
      "1.5D PRECEDING AND CURRENT ROW",
      "0.1D PRECEDING AND 20.0D FOLLOWING",
      "2.0D FOLLOWING AND 4.0D FOLLOWING"
    ),
    "float(d)" -> Seq("1.5F PRECEDING AND 2.5F FOLLOWING"),
    "day" -> Seq("3 PRECEDING AND CURRENT ROW", "INTERVAL 2 DAYS PRECEDING AND INTERVAL 5 DAYS FOLLOWING"),
    "ts" -> Seq(
      "INTERVAL 10 MINUTES PRECEDING AND CURRENT ROW",
      "INTERVAL 2 HOURS PRECEDING AND INTERVAL 1 HOUR FOLLOWING"
    ),
    "c" -> Seq("12.50 PRECEDING AND CURRENT ROW"),
    "extreme" -> Seq("CURRENT ROW AND CURRENT ROW")
  )

  protected val rangeOrders: Seq[RangedWindows] = for {
    (key, frames) <- rangeFrames
    direction <- Seq("", " DESC", " NULLS LAST", " DESC NULLS FIRST")
  } yield RangedWindows(
    s"ORDER BY $key$direction RANGE",
    frames.map(f => s"ORDER BY $key$direction RANGE BETWEEN $f"),
    "ranged"
  )

  protected def groupedView(rows: Int = 4000): Unit =
    spark.range(0, rows, 1, 4).selectExpr(
      "id",
      "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 500)) AS v",
      "IF(pmod(hash(id, 6), 10) = 0, NULL, pmod(hash(id, 7), 300)) AS t",
      "CASE WHEN id % 10 < 7 THEN 0 WHEN id % 10 = 7 THEN NULL ELSE id % 23 END AS skewed",
      "CASE id % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D ELSE 1.5D END AS d",
      "repeat('x', int(id % 3)) AS text",
      "id % 1000 AS many",
      "timestamp_seconds(pmod(hash(id, 8), 100000)) AS ts"
    ).createOrReplaceTempView("grouped")

  /** Windows by each key, in every order. */
  protected val groupKeys: Seq[RangedWindows] =
    Seq("id % 2", "skewed", "text", "d", "id % 2, text", "int(1)", "many").map { keys =>
      val orders = Seq(
        "id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW",
        "id DESC ROWS BETWEEN 20 PRECEDING AND 30 FOLLOWING",
        "t RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING",
        "ts DESC NULLS FIRST RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW"
      )
      RangedWindows(
        s"PARTITION BY $keys",
        orders.map(o => s"PARTITION BY $keys ORDER BY $o"),
        "grouped"
      )
    }
}
