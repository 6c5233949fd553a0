package chronosketch.spark

/** Expressions that turn `id` from 1 to 100 into values and times of every type. Both rise with `id`. */
object TypedRows {

  /** Enables Spark's TIME type. */
  val TimeType: (String, String) = "spark.sql.timeType.enabled" -> "true"

  /** Each type, and the expression of a row's value. */
  val values: Seq[(String, String)] = Seq(
    "TINYINT" -> "CAST(id AS TINYINT)",
    "SMALLINT" -> "CAST(id AS SMALLINT)",
    "INT" -> "CAST(id AS INT)",
    "BIGINT" -> "id + 9007199254740993L",
    "FLOAT" -> "CAST(id / 4 AS FLOAT)",
    "DOUBLE" -> "id / 7D",
    "DECIMAL(18,3)" -> "CAST(id / 7 AS DECIMAL(18,3))",
    "DATE" -> "date_add(DATE'2026-01-01', CAST(id AS INT))",
    "TIMESTAMP" -> "timestamp_seconds(id)",
    "TIMESTAMP_NTZ" -> "TIMESTAMP_NTZ'2026-01-01 00:00:00' + id * INTERVAL '1' DAY",
    "TIME(6)" -> "make_time(0, CAST(id div 60 AS INT), CAST(id % 60 AS DECIMAL(16,6)))",
    "INTERVAL DAY TO SECOND" -> "id * INTERVAL '0 00:00:01' DAY TO SECOND",
    "INTERVAL YEAR TO MONTH" -> "id * INTERVAL '0-1' YEAR TO MONTH"
  )

  /** Each type, the expression of a row's time, the time of the 50th row, and the span of ten rows. */
  val times: Seq[(String, String, String, String)] = Seq(
    ("TINYINT", "CAST(id AS TINYINT)", "CAST(50 AS TINYINT)", "10"),
    ("SMALLINT", "CAST(id AS SMALLINT)", "50S", "10"),
    ("INT", "CAST(id AS INT)", "50", "10L"),
    ("BIGINT", "id - 9223372036854775807L", "50 - 9223372036854775807L", "CAST(10 AS SMALLINT)"),
    ("BIGINT", "9223372036854775807L - 100 + id", "9223372036854775807L - 50", "10"),
    ("DATE", "date_add(DATE'2026-01-01', CAST(id AS INT))", "DATE'2026-02-20'", "'10 days'"),
    ("DATE", "date_add(DATE'1969-12-01', CAST(id AS INT))", "DATE'1970-01-20'", "INTERVAL '230' HOUR"),
    ("TIMESTAMP", "timestamp_micros(id)", "timestamp_micros(50)", "INTERVAL '0.00001' SECOND"),
    ("TIMESTAMP", "timestamp_seconds(id * 60)", "timestamp_seconds(3000)", "'10 minutes'"),
    (
      "TIMESTAMP_NTZ",
      "TIMESTAMP_NTZ'2026-03-29 00:00:00' + id * INTERVAL '24' HOUR",
      "TIMESTAMP_NTZ'2026-03-29 00:00:00' + INTERVAL '50' DAY",
      "'10 days'"
    )
  )
}
