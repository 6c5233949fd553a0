package chronosketch.spark

import java.util.zip.CRC32C

import scala.io.Source

import org.apache.spark.SparkThrowable

import chronosketch.Cases
import chronosketch.spark.ConditionsSuite.{Case, mismatch}
import chronosketch.spark.ddsketch.DDSketchConditions
import chronosketch.spark.history.HistoryConditions
import chronosketch.spark.qlove.QloveConditions
import chronosketch.spark.sql.Conditions
import chronosketch.spark.window.WindowConditions

/** What a user reads when something is wrong: each condition provoked by a query, its whole text held to what it should be. */
class ConditionsSuite extends SparkSuite {
  private val s = "quantile_sketch_agg(id)"
  private val on = "FROM range(1, 101)"

  private lazy val sketch: Array[Byte] = one(s"SELECT $s $on").asInstanceOf[Array[Byte]]
  private def literal(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02X").mkString("X'", "", "'")

  /** The sketch with one byte changed, its checksum made to fit again. */
  private def changed(at: Int, to: Int): Array[Byte] = {
    val bytes = sketch.clone()
    bytes(at) = to.toByte
    val crc = new CRC32C
    crc.update(bytes, 0, bytes.length - 4)
    java.nio.ByteBuffer.wrap(bytes).putInt(bytes.length - 4, crc.getValue.toInt)
    bytes
  }
  private val version = chronosketch.Version.value
  private def asked(call: String): String = s"SELECT $call AS a FROM (SELECT $s AS s, min(id) AS low $on)"

  private lazy val ours: Seq[Case] = Seq(
    Case(
      "an array of points out of order",
      asked("sketch_cdf(s, array(1, 3, 3))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_cdf needs points that strictly increase, and none NULL, but point 3 is 3 after 3. Sort them and drop duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "dates out of order",
      asked("sketch_pmf(s, array(DATE'2013-01-02', DATE'2013-01-01'))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_pmf needs points that strictly increase, and none NULL, but point 2 is 2013-01-01 after 2013-01-02. Sort them and drop duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "a NULL point in a column",
      asked("sketch_pmf(s, array(low, CAST(NULL AS BIGINT)))"),
      "CHRONOSKETCH_INVALID_POINTS",
      "22023",
      "sketch_pmf needs points that strictly increase, and none NULL, but point 2 is NULL after 1. Sort them and drop duplicates: array_sort(array_distinct(array_compact(points)))."
    ),
    Case(
      "a type that has no order",
      asked("sketch_quantile(s, 0.5, 'string')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_quantile was asked for its answer as \"string\", which is not one of the types a sketch can hold: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL, spelt as in CAST."
    ),
    Case(
      "no type at all",
      asked("sketch_min(s, 'whole number')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_min was asked for its answer as \"whole number\", which is not one of the types a sketch can hold: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL, spelt as in CAST."
    ),
    Case(
      "the type of NULL",
      asked("sketch_max(s, 'void')"),
      "CHRONOSKETCH_INVALID_TYPE_NAME",
      "42704",
      "sketch_max was asked for its answer as \"void\", which is not one of the types a sketch can hold: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL, spelt as in CAST."
    ),
    Case(
      "a phi in a column",
      asked("sketch_quantile(s, low + 0.5)"),
      "CHRONOSKETCH_INVALID_PHI",
      "22003",
      "sketch_quantile was asked for phi = 1.5: phi is a share of the elements and must be between 0 and 1. The 99th percentile is 0.99."
    ),
    Case(
      "a phi in an array in a column",
      asked("sketch_quantile_bounds(s, array(0.5D, -low, double('NaN')))"),
      "CHRONOSKETCH_INVALID_PHI",
      "22003",
      "sketch_quantile_bounds was asked for phi = -1.0: phi is a share of the elements and must be between 0 and 1. The 99th percentile is 0.99."
    ),
    Case(
      "a frequency below 0",
      s"SELECT approx_quantile(id, 0.5, frequency => IF(id = 6, -1, 1)) $on",
      "CHRONOSKETCH_INVALID_FREQUENCY",
      "22003",
      "approx_quantile was given the frequency -1: it says how many copies of a value there are, so it must be 0 or more. Filter the rows, e.g. FILTER (WHERE (IF((id = CAST(6 AS BIGINT)), -1, 1)) >= 0)."
    ),
    Case(
      "a frequency below 0 over a window",
      s"SELECT approx_quantile(id, 0.5, frequency => id - 5) OVER (ORDER BY id) $on",
      "CHRONOSKETCH_INVALID_FREQUENCY",
      "22003",
      "approx_quantile was given the frequency -4: it says how many copies of a value there are, so it must be 0 or more. Filter the rows, e.g. FILTER (WHERE (id - CAST(5 AS BIGINT)) >= 0)."
    ),
    Case(
      "more elements than a number can count",
      "SELECT quantile_sketch_agg(v, frequency => n) FROM VALUES (1, 9223372036854775807L), (2, 1L) AS t(v, n)",
      "CHRONOSKETCH_COUNT_OVERFLOW",
      "22003",
      "quantile_sketch_agg counts more than 9223372036854775807 elements, the most a sketch can count. Check the column of frequencies for values that are no counts."
    ),
    Case(
      "two sketches of together too many",
      "SELECT sketch_merge(s, s) FROM (SELECT quantile_sketch_agg(1, frequency => 9223372036854775807L) AS s)",
      "CHRONOSKETCH_COUNT_OVERFLOW",
      "22003",
      "sketch_merge counts more than 9223372036854775807 elements, the most a sketch can count. Check the column of frequencies for values that are no counts."
    ),
    Case(
      "bytes that are no sketch",
      "SELECT sketch_count(X'CAFE')",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_count was given 2 bytes that are not a chronosketch sketch (they begin with X'CAFE'). Build one with quantile_sketch_agg(value); is_sketch(X'CAFE') finds the rows that hold one."
    ),
    Case(
      "no bytes",
      "SELECT sketch_quantile(X'', 0.5)",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_quantile was given 0 bytes that are not a chronosketch sketch (they begin with nothing). Build one with quantile_sketch_agg(value); is_sketch(X'') finds the rows that hold one."
    ),
    Case(
      "text as bytes, in a column",
      s"SELECT sketch_merge_agg(b) FROM (SELECT CAST(concat('row ', id) AS BINARY) AS b FROM range(1, 2))",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      "sketch_merge_agg was given 5 bytes that are not a chronosketch sketch (they begin with X'726F772031'). Build one with quantile_sketch_agg(value); is_sketch(b) finds the rows that hold one."
    ),
    Case(
      "a sketch of another library",
      "SELECT sketch_rank(s, 1) FROM (SELECT kll_sketch_agg_bigint(id) AS s FROM range(3))",
      "CHRONOSKETCH_NOT_A_SKETCH",
      "22000",
      ""
    ),
    Case(
      "a sketch cut off",
      asked("sketch_count(substring(s, 1, 30))"),
      "CHRONOSKETCH_TRUNCATED_SKETCH",
      "22000",
      s"sketch_count was given the first 30 bytes of a sketch that has ${sketch.length}: the rest was cut off where it was stored or read. is_sketch(sketch) finds the rows that hold whole ones."
    ),
    Case(
      "a sketch cut off in its header",
      asked("sketch_count(substring(s, 1, 6))"),
      "CHRONOSKETCH_TRUNCATED_SKETCH",
      "22000",
      "sketch_count was given the first 6 bytes of a sketch that has more: the rest was cut off where it was stored or read. is_sketch(sketch) finds the rows that hold whole ones."
    ),
    Case(
      "a sketch with a bit flipped",
      asked("sketch_describe(concat(substring(s, 1, 40), X'5A', substring(s, 42)))"),
      "CHRONOSKETCH_CORRUPT_SKETCH",
      "22000",
      "sketch_describe was given a damaged sketch: its checksum does not fit. It was changed after it was written; is_sketch(sketch) finds the rows that hold whole ones."
    ),
    Case(
      "a sketch with something behind it",
      asked("sketch_count(concat(s, X'00'))"),
      "CHRONOSKETCH_CORRUPT_SKETCH",
      "22000",
      s"sketch_count was given a damaged sketch: ${sketch.length + 1} bytes where its header says ${sketch.length}. It was changed after it was written; is_sketch(sketch) finds the rows that hold whole ones."
    ),
    Case(
      "a sketch of a newer version",
      s"SELECT sketch_count(b) FROM (SELECT IF(id = 1, ${literal(changed(4, 2))}, NULL) AS b FROM range(2))",
      "CHRONOSKETCH_NEWER_FORMAT",
      "0A000",
      s"sketch_count was given a sketch of format 2, written by a newer chronosketch; version $version reads formats up to 1. Upgrade chronosketch here."
    ),
    Case(
      "a sketch of a family to come",
      s"SELECT sketch_count(${literal(changed(9, 77))})",
      "CHRONOSKETCH_UNKNOWN_FAMILY",
      "0A000",
      s"sketch_count was given a sketch of family 77, which chronosketch $version does not know. Upgrade chronosketch here."
    ),
    Case(
      "a type without order",
      "SELECT approx_quantile(t, 0.5) FROM (SELECT 'a' AS t)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"t\" has the type \"STRING\". Where it holds numbers: CAST(t AS DOUBLE); where it holds times: CAST(t AS TIMESTAMP)."
    ),
    Case(
      "a decimal of too many digits",
      "SELECT quantile_sketch_agg(d) FROM (SELECT CAST(1 AS DECIMAL(38, 6)) AS d)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "quantile_sketch_agg takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"d\" has the type \"DECIMAL(38,6)\". Decimals have up to 18 digits here: CAST(d AS DECIMAL(18,6)), or CAST(d AS DOUBLE)."
    ),
    Case(
      "a truth",
      "SELECT approx_quantile_bounds(b, 0.5) FROM (SELECT true AS b)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "approx_quantile_bounds takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"b\" has the type \"BOOLEAN\". Count it as 0 and 1: CAST(b AS INT)."
    ),
    Case(
      "a sketch measured",
      s"SELECT quantile_sketch_agg(s) FROM (SELECT $s AS s $on)",
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "quantile_sketch_agg takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its value, but \"s\" has the type \"BINARY\". A stored sketch is merged by sketch_merge_agg and asked by sketch_quantile."
    ),
    Case(
      "points without order",
      asked("sketch_cdf(s, array('a'))"),
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      "42K09",
      "sketch_cdf takes a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL as its points, but \"array(a)\" has the type \"ARRAY<STRING>\". Choose a field or an element of it that has one of these types."
    ),
    Case(
      "a date sought among numbers",
      asked("sketch_rank(s, DATE'2013-01-01')"),
      "CHRONOSKETCH_VALUE_NOT_COMPARABLE",
      "42846",
      "sketch_rank was asked where DATE values stand in a sketch of BIGINT values: they have no common order. Give values of type BIGINT, e.g. CAST(x AS BIGINT)."
    ),
    Case(
      "a number sought among dates",
      "SELECT sketch_cdf(quantile_sketch_agg(DATE'2013-01-01'), array(1))",
      "CHRONOSKETCH_VALUE_NOT_COMPARABLE",
      "42846",
      "sketch_cdf was asked where INT values stand in a sketch of DATE values: they have no common order. Give values of type DATE, e.g. CAST(x AS DATE)."
    ),
    Case(
      "a date asked as a number",
      "SELECT sketch_quantile(quantile_sketch_agg(DATE'2013-01-01'), 0.5)",
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_quantile was asked for DOUBLE values of a sketch that holds DATE values. Name their type: sketch_quantile(sketch, 0.5, 'date')."
    ),
    Case(
      "the last of some times asked as a number",
      "SELECT sketch_max(quantile_sketch_agg(INTERVAL '1' HOUR))",
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_max was asked for DOUBLE values of a sketch that holds INTERVAL HOUR values. Name their type: sketch_max(sketch, 'interval hour')."
    ),
    Case(
      "a number asked as a date",
      asked("sketch_quantile_bounds(s, array(0.5), 'date')"),
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
      "42846",
      "sketch_quantile_bounds was asked for DATE values of a sketch that holds BIGINT values. Name their type: sketch_quantile_bounds(sketch, 0.5, 'bigint')."
    ),
    Case(
      "a value that does not fit",
      s"SELECT sketch_max(quantile_sketch_agg(id * 1.5D), 'tinyint') $on",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_max can't return 150 as TINYINT: it does not fit. Name a wider type, or leave the type out to get a DOUBLE."
    ),
    Case(
      "NaN as a whole number",
      s"SELECT sketch_quantile(quantile_sketch_agg(double('NaN')), 1, 'decimal(5,2)') $on",
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "22003",
      "sketch_quantile can't return NaN as DECIMAL(5,2): it does not fit. Name a wider type, or leave the type out to get a DOUBLE."
    ),
    Case(
      "sketches of values that have no common type",
      "SELECT sketch_merge(quantile_sketch_agg(1.5D), quantile_sketch_agg(1))",
      "CHRONOSKETCH_VALUE_TYPES_DIFFER",
      "42846",
      "sketch_merge can't merge a sketch of DOUBLE values with one of INT values: neither type holds the values of the other. Build both from one type, e.g. quantile_sketch_agg(CAST(x AS DOUBLE))."
    )
  ) ++ WindowConditions.ours ++ HistoryConditions.ours ++ QloveConditions.ours ++ DDSketchConditions.ours ++ PortingConditions.ours

  private lazy val sparks: Seq[Case] = Seq(
    Case(
      "phi above 1",
      s"SELECT approx_quantile(id, 99) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 99, 1.0E-4)",
        "The `phi` must be between [0.0, 1.0] (current value = 99)."
      )
    ),
    Case(
      "phi NaN",
      s"SELECT approx_quantile(id, double('NaN')) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      ""
    ),
    Case(
      "phi above 1 in its twentieth digit",
      s"SELECT approx_quantile(id, 1.00000000000000000001BD) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 1.00000000000000000001, 1.0E-4)",
        "The `phi` must be between [0.0, 1.0] (current value = 1.00000000000000000001)."
      )
    ),
    Case(
      "phi below 0 in an array",
      s"SELECT approx_quantile_bounds(id, array(0.5, -0.1)) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile_bounds(id, array(0.5, -0.1), 1.0E-4)",
        "The `phi` must be between [0.0, 1.0] (current value = -0.1)."
      )
    ),
    Case(
      "a reader's constant phi above 1",
      asked("sketch_quantile(s, array(NULL, 2))"),
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "sketch_quantile(s, array(NULL, 2), double)",
        "The `phi` must be between [0.0, 1.0] (current value = 2)."
      )
    ),
    Case(
      "phi a column",
      s"SELECT approx_quantile(id, id / 100) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "approx_quantile(id, (id / 100), 1.0E-4)",
        "the input `phi` should be a foldable \"DOUBLE OR ARRAY<DOUBLE>\" expression; however, got \"(id / 100)\"."
      )
    ),
    Case(
      "phi NULL",
      s"SELECT approx_quantile(id, NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("approx_quantile(id, NULL, 1.0E-4)", "The `phi` must not be null.")
    ),
    Case(
      "phi NULL in an array",
      s"SELECT approx_quantile(id, array(0.5, NULL)) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("approx_quantile(id, array(0.5, NULL), 1.0E-4)", "The `phi` must not be null.")
    ),
    Case(
      "phi text",
      s"SELECT approx_quantile(id, 'p99') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile(id, p99, 1.0E-4)",
        "The second parameter requires the \"NUMERIC OR ARRAY<NUMERIC>\" type, however \"p99\" has the type \"STRING\"."
      )
    ),
    Case(
      "epsilon above a half",
      s"SELECT approx_quantile(id, 0.5, epsilon => 0.51) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 0.51)",
        "The `epsilon` must be between [0, 0.5] (current value = 0.51; epsilon = 1/accuracy, so 10000 is 0.0001)."
      )
    ),
    Case(
      "epsilon below 0",
      s"SELECT quantile_sketch_agg(id, -1) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "quantile_sketch_agg(id, -1)",
        "The `epsilon` must be between [0, 0.5] (current value = -1.0)."
      )
    ),
    Case(
      "epsilon a column",
      s"SELECT quantile_sketch_agg(id, id) $on",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "quantile_sketch_agg(id, id)",
        "the input `epsilon` should be a foldable \"DOUBLE\" expression; however, got \"id\"."
      )
    ),
    Case(
      "epsilon NULL",
      s"SELECT quantile_sketch_agg(id, NULL) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("quantile_sketch_agg(id, NULL)", "The `epsilon` must not be null.")
    ),
    Case(
      "epsilon text",
      s"SELECT approx_quantile(id, 0.5, '0.1') $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 0.1)",
        "The third parameter requires the \"NUMERIC\" type, however \"0.1\" has the type \"STRING\"."
      )
    ),
    Case(
      "frequency not whole",
      s"SELECT approx_quantile(id, 0.5, frequency => 1.5) $on",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 1.0E-4, 1.5)",
        "The 4th parameter requires the \"INTEGRAL\" type, however \"1.5\" has the type \"DECIMAL(2,1)\"."
      )
    ),
    Case(
      "a constant frequency below 0",
      s"SELECT approx_quantile(id, 0.5, frequency => -3) $on",
      "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
      "42K09",
      mismatch(
        "approx_quantile(id, 0.5, 1.0E-4, -3)",
        "The `frequency` must be between [0, 9223372036854775807] (current value = -3)."
      )
    ),
    Case(
      "a sketch that is text",
      "SELECT sketch_count('s')",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_count(s)",
        "The first parameter requires the \"BINARY\" type, however \"s\" has the type \"STRING\"."
      )
    ),
    Case(
      "a sketch that is a number, merged",
      "SELECT sketch_merge_agg(id) FROM range(3)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_merge_agg(id)",
        "The first parameter requires the \"BINARY\" type, however \"id\" has the type \"BIGINT\"."
      )
    ),
    Case(
      "one of two",
      "SELECT sketch_merge(X'', 1)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_merge(X'', 1)",
        "The second parameter requires the \"BINARY\" type, however \"1\" has the type \"INT\"."
      )
    ),
    Case(
      "type a column",
      "SELECT sketch_quantile(X'', 0.5, t) FROM VALUES ('int') AS v(t)",
      "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
      "42K09",
      mismatch(
        "sketch_quantile(X'', 0.5, t)",
        "the input `type` should be a foldable \"STRING\" expression; however, got \"t\"."
      )
    ),
    Case(
      "type NULL",
      "SELECT sketch_min(X'', NULL)",
      "DATATYPE_MISMATCH.UNEXPECTED_NULL",
      "42K09",
      mismatch("sketch_min(X'', NULL)", "The `type` must not be null.")
    ),
    Case(
      "type a number",
      "SELECT sketch_min(X'', 8)",
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_min(X'', 8)",
        "The second parameter requires the \"STRING\" type, however \"8\" has the type \"INT\"."
      )
    ),
    Case(
      "one point instead of points",
      asked("sketch_cdf(s, 3)"),
      "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
      "42K09",
      mismatch(
        "sketch_cdf(s, 3)",
        "The second parameter requires the \"ARRAY\" type, however \"3\" has the type \"INT\"."
      )
    )
  ) ++ WindowConditions.sparks ++ HistoryConditions.sparks ++ QloveConditions.sparks ++ DDSketchConditions.sparks ++ PortingConditions.sparks

  private def read(c: Case): Unit = {
    val e = refusal(c.query)
    assertEquals(e.getCondition, c.condition, e.asInstanceOf[Throwable].getMessage)
    assertEquals(e.getSqlState, c.sqlState)
    val text = e.asInstanceOf[Throwable].getMessage
    if (c.text.nonEmpty)
      assertEquals(text.takeWhile(_ != '\n').split(" SQLSTATE: ")(0), s"[${c.condition}] ${c.text}")
    assert(text.contains(s"SQLSTATE: ${c.sqlState}"), text)
    // Spark's own look-up, as PySpark and Connect ask for it
    assert(!text.contains("INTERNAL_ERROR"), text)
  }

  test("our conditions, each by a query")(ours.foreach(read))

  test("Spark's conditions, where it has one")(sparks.foreach(read))

  test("the same, where nothing is generated and where nothing is folded away while the query is planned") {
    withConf(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )(Cases.some(ours.size / 4, ours).foreach(read))
    withConf(
      "spark.sql.optimizer.excludedRules" -> "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    ) {
      Cases.some(ours.size / 4, ours.filterNot(_.text.contains("is_sketch(X'"))).foreach(read)
    }
  }

  private lazy val written: Map[String, String] = {
    val json = Source.fromResource("error/chronosketch-conditions.json").mkString
    """"(CHRONOSKETCH_\w+)"\s*:\s*\{\s*"message"\s*:\s*\["(.*)"\]""".r.findAllMatchIn(json).map(m =>
      m.group(1) -> m.group(2).replace("\\\"", "\"")
    ).toMap
  }

  /** No query can provoke these in a test: a BINARY or a buffer of 2 GiB; what SQL checks before, or has no words for, and only Scala can ask. */
  private val unprovoked = Set(
    "CHRONOSKETCH_TOO_MANY_CHANGES",
    "CHRONOSKETCH_HISTORY_EMPTY",
    "CHRONOSKETCH_SKETCH_TOO_LARGE",
    "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
    "CHRONOSKETCH_NO_DIGITS"
  )

  /** In a suite of their own. */
  private val provokedElsewhere = Set(
    "CHRONOSKETCH_HISTORY_OF_STREAM",
    "CHRONOSKETCH_INPUT_CHANGED",
    "CHRONOSKETCH_FRAME_TOO_LARGE",
    "CHRONOSKETCH_HOPPING_AGGREGATE",
    "CHRONOSKETCH_HOPPING_ARGUMENT",
    "CHRONOSKETCH_HOPPING_GAPS",
    "CHRONOSKETCH_HOPPING_MODE",
    "CHRONOSKETCH_HOPPING_PANES",
    "CHRONOSKETCH_HOPPING_REWRITE",
    "CHRONOSKETCH_HOPPING_SYNTAX",
    "CHRONOSKETCH_HOPPING_TIME",
    "CHRONOSKETCH_NO_PROCEDURE",
    "CHRONOSKETCH_STEP_TAKEN",
    "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
    "CHRONOSKETCH_WAREHOUSE_COLUMN",
    "CHRONOSKETCH_WAREHOUSE_DAMAGED",
    "CHRONOSKETCH_WAREHOUSE_EMPTY",
    "CHRONOSKETCH_WAREHOUSE_EXISTS",
    "CHRONOSKETCH_WAREHOUSE_NEWER",
    "CHRONOSKETCH_WAREHOUSE_NOT_FOUND",
    "CHRONOSKETCH_WAREHOUSE_VERSION_GONE"
  )

  test("every condition of ours is provoked, and every one that the code names exists") {
    assertEquals(ours.map(_.condition).toSet ++ provokedElsewhere ++ unprovoked, written.keySet)
    val sources = Seq("jvm/core/src/main", "jvm/spark/src/main").flatMap { folder =>
      val all = java.nio.file.Files.walk(java.nio.file.Path.of(folder))
      try all.filter(p => p.toString.endsWith(".scala") || p.toString.endsWith(".java")).toArray.toSeq
      finally all.close()
    }
    assert(sources.size > 20, sources)
    val named = sources
      .flatMap(p =>
        """"(CHRONOSKETCH_\w+)"""".r.findAllMatchIn(
          java.nio.file.Files.readString(p.asInstanceOf[java.nio.file.Path])
        ).map(_.group(1))
      )
      .toSet
    assertEquals(named, written.keySet)
  }

  test("every condition is Spark's kind of error: text, SQLSTATE and every parameter filled in") {
    written.foreach { case (condition, template) =>
      val parameters = """<(\w+)>""".r.findAllMatchIn(template).map(_.group(1)).toSet
      val e = Conditions.runtimeError(
        new chronosketch.Refusal(
          condition,
          (parameters - "function" - "version").map(p => p -> s"the $p").toMap
        ),
        Map("function" -> "f")
      )
      assertEquals(e.asInstanceOf[SparkThrowable].getCondition, condition)
      assert("""\w{5}""".r.matches(e.asInstanceOf[SparkThrowable].getSqlState), condition)
      val expected = parameters.foldLeft(template) { (text, p) =>
        text.replace(s"<$p>", if (p == "function") "f" else if (p == "version") version else s"the $p")
      }
      assertEquals(
        e.getMessage,
        s"[$condition] $expected SQLSTATE: ${e.asInstanceOf[SparkThrowable].getSqlState}"
      )
    }
  }

  test("an error in a task on one row of many is ours, not a job's") {
    val bad = s"(SELECT IF(id = 77, X'CAFE', ${literal(sketch)}) AS s FROM range(0, 100, 1, 4))"
    Seq(
      s"SELECT sum(sketch_count(s)) FROM $bad",
      s"SELECT sketch_merge_agg(s) FROM $bad",
      s"SELECT count(*) FROM $bad WHERE sketch_max(s) > 3",
      s"SELECT sketch_count(s), count(*) FROM $bad GROUP BY 1 ORDER BY 2",
      s"SELECT sketch_merge_agg(s) OVER (ORDER BY length(s)) FROM $bad"
    ).foreach { text =>
      val e = refusal(text)
      assertEquals(e.getCondition, "CHRONOSKETCH_NOT_A_SKETCH", text)
      assert(e.asInstanceOf[Throwable].getMessage.startsWith("[CHRONOSKETCH_NOT_A_SKETCH] "), text)
    }
    assertEquals(one(s"SELECT count(*) FROM $bad WHERE is_sketch(s) AND sketch_max(s) > 3"), 99L)
  }

  test("is_sketch never fails") {
    val bytes = Seq(
      "X''",
      "X'43'",
      "X'CAFE'",
      "X'43485253'",
      "X'4348525301'",
      literal(sketch.take(30)),
      literal(changed(4, 2)),
      literal(changed(9, 77)),
      literal(sketch :+ 0.toByte),
      "CAST('text' AS BINARY)"
    )
    bytes.foreach(b => assertEquals(one(s"SELECT is_sketch($b)"), false, b))
    assertEquals(one(s"SELECT is_sketch(${literal(sketch)})"), true)
    // no byte of a sketch can change unseen
    val flipped = spark.range(sketch.length.toLong * 8).selectExpr("id").collect().map { r =>
      val copy = sketch.clone()
      val bit = r.getLong(0).toInt
      copy(bit / 8) = (copy(bit / 8) ^ (1 << (bit % 8))).toByte
      Tuple1(copy)
    }
    assertEquals(spark.createDataFrame(flipped.toSeq).toDF("b").where("is_sketch(b)").count(), 0L)
  }

  test("an analysis error points at the call") {
    val e = intercept[org.apache.spark.sql.AnalysisException](sql("SELECT 1,\n  approx_quantile('a', 0.5)"))
    assert(e.getMessage.contains("line 2"), e.getMessage)
  }
}

object ConditionsSuite {

  /** A query and what is said of it; no text: it is not ours to say, or has numbers that may change. */
  private[spark] final case class Case(
      what: String,
      query: String,
      condition: String,
      sqlState: String,
      text: String
  )

  /** What Spark says of an argument that does not fit. */
  private[spark] def mismatch(call: String, what: String): String =
    s"""Cannot resolve "$call" due to data type mismatch: $what"""
}
