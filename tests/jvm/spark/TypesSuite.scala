package chronosketch.spark

import org.apache.spark.sql.types._

import chronosketch.domain.{Cast, Domain}
import chronosketch.quantile.QuantileSketch
import chronosketch.spark.sql.KeyCodec
import chronosketch.{Cases, Refusal}

/** Tests every type with an order: one-shot answers have the input's type, and a sketch returns the values that were inserted. */
class TypesSuite extends SparkSuite {
  import TypesSuite.Sample

  private val samples = Seq(
    Sample("TINYINT", "CAST(-128 AS TINYINT)", "CAST(0 AS TINYINT)", "CAST(127 AS TINYINT)"),
    Sample("SMALLINT", "CAST(-32768 AS SMALLINT)", "CAST(-1 AS SMALLINT)", "CAST(32767 AS SMALLINT)"),
    Sample("INT", "CAST(-2147483648 AS INT)", "7", "2147483647"),
    Sample("BIGINT", "CAST(-9223372036854775808 AS BIGINT)", "9007199254740993L", "9223372036854775807L"),
    Sample("FLOAT", "CAST('-Infinity' AS FLOAT)", "CAST(0.1 AS FLOAT)", "CAST('NaN' AS FLOAT)"),
    Sample("DOUBLE", "-1.7976931348623157E308D", "0.1D", "CAST('NaN' AS DOUBLE)"),
    Sample("DOUBLE", "CAST('-Infinity' AS DOUBLE)", "4.9E-324D", "CAST('Infinity' AS DOUBLE)"),
    Sample("DECIMAL(1,0)", "-9BD", "0BD", "9BD"),
    Sample("DECIMAL(5,2)", "-999.99BD", "0.01BD", "999.99BD"),
    Sample("DECIMAL(18,0)", "-999999999999999999BD", "123456789012345678BD", "999999999999999999BD"),
    Sample("DECIMAL(18,18)", "-0.999999999999999999BD", "0.000000000000000001BD", "0.5BD"),
    Sample("DECIMAL(18,3)", "-123456789012345.678BD", "0.001BD", "999999999999999.999BD"),
    Sample("DATE", "DATE'0001-01-01'", "DATE'1969-12-31'", "DATE'9999-12-31'"),
    Sample(
      "TIMESTAMP",
      "TIMESTAMP'1582-10-15 00:00:00'",
      "TIMESTAMP'1969-12-31 23:59:59.999999'",
      "TIMESTAMP'2500-01-01 00:00:00.000001'"
    ),
    Sample(
      "TIMESTAMP_NTZ",
      "TIMESTAMP_NTZ'0001-01-01 00:00:00'",
      "TIMESTAMP_NTZ'2013-03-31 02:30:00'",
      "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'"
    ),
    Sample("INTERVAL YEAR", "INTERVAL '-178956970' YEAR", "INTERVAL '0' YEAR", "INTERVAL '178956970' YEAR"),
    Sample("INTERVAL MONTH", "INTERVAL '-11' MONTH", "INTERVAL '0' MONTH", "INTERVAL '25' MONTH"),
    Sample(
      "INTERVAL YEAR TO MONTH",
      "INTERVAL '-1-1' YEAR TO MONTH",
      "INTERVAL '0-1' YEAR TO MONTH",
      "INTERVAL '100-11' YEAR TO MONTH"
    ),
    Sample("INTERVAL DAY", "INTERVAL '-2' DAY", "INTERVAL '1' DAY", "INTERVAL '106751991' DAY"),
    Sample(
      "INTERVAL HOUR TO MINUTE",
      "INTERVAL '-01:30' HOUR TO MINUTE",
      "INTERVAL '00:01' HOUR TO MINUTE",
      "INTERVAL '99:59' HOUR TO MINUTE"
    ),
    Sample(
      "INTERVAL SECOND",
      "INTERVAL '-0.000001' SECOND",
      "INTERVAL '0' SECOND",
      "INTERVAL '59.999999' SECOND"
    ),
    Sample(
      "INTERVAL DAY TO SECOND",
      "INTERVAL '-1 00:00:00.000001' DAY TO SECOND",
      "INTERVAL '0 00:00:01' DAY TO SECOND",
      "INTERVAL '9999 23:59:59.999999' DAY TO SECOND"
    ),
    Sample("TIME(6)", "TIME'00:00:00'", "TIME'12:00:00.000001'", "TIME'23:59:59.999999'"),
    Sample(
      "TIME(0)",
      "CAST(TIME'00:00:01' AS TIME(0))",
      "CAST(TIME'12:00:00' AS TIME(0))",
      "CAST(TIME'23:59:59' AS TIME(0))"
    )
  )

  // TIME is off by default in this release line of Spark
  override def munitTestTransforms: List[TestTransform] = super.munitTestTransforms :+ new TestTransform(
    "TIME on",
    t => t.withBody(() => withConf("spark.sql.timeType.enabled" -> "true")(t.body()))
  )

  private def valuesOf(s: Sample): String =
    s"(SELECT CAST(v AS ${s.sqlType}) AS v FROM (SELECT explode(array(${s.mid}, ${s.high}, ${s.low}, CAST(NULL AS ${s.sqlType}))) AS v))"

  // let Spark compare: in SQL, NaN = NaN and −0.0 = 0.0 are true
  private def same(select: String, from: String): Unit = {
    val row = sql(s"SELECT $select FROM $from").head()
    (0 until row.size).foreach(i => assertEquals(row.get(i), true: Any, s"${row.schema(i).name}: $row"))
  }

  for ((s, codegen) <- Cases.inTurns(samples, Seq(true, false)))
    test(s"${s.sqlType} from ${s.low}: answers have that type${if (codegen) "" else ", no codegen"}") {
      val conf = if (codegen) Nil
      else Seq("spark.sql.codegen.wholeStage" -> "false", "spark.sql.codegen.factoryMode" -> "NO_CODEGEN")
      withConf(conf: _*) {
        val dataType = DataType.fromDDL(s.sqlType)
        val t = valuesOf(s)
        val shot = sql(
          s"SELECT approx_quantile(v, 0.5) AS q, approx_quantile(v, array(0, 1)) AS qs, approx_quantile_bounds(v, 1) AS b FROM $t"
        )
        assertEquals(shot.schema("q").dataType, dataType)
        assertEquals(shot.schema("qs").dataType, ArrayType(dataType, containsNull = false): DataType)
        assertEquals(
          shot.schema("b").dataType.asInstanceOf[StructType].fields.map(_.dataType).toSeq,
          Seq(dataType, dataType)
        )
        def struct(v: String): String =
          s"CAST(named_struct('low', $v, 'high', $v) AS STRUCT<low: ${s.sqlType}, high: ${s.sqlType}>)"
        same(
          s"""approx_quantile(v, 0.5) = ${s.mid}, approx_quantile(v, array(0, 1)) = array(${s.low}, ${s.high}),
           |approx_quantile_bounds(v, 0) = ${struct(s.low)},
           |approx_quantile_bounds(v, array(0.5)) = array(${struct(s.mid)})""".stripMargin,
          t
        )
        // store the sketch in a shuffle as bytes, and read it back
        val sketches = s"(SELECT /*+ REPARTITION(2) */ quantile_sketch_agg(v) AS s FROM $t)"
        val typed = sql(s"SELECT sketch_quantile(s, 0.5, '${s.sqlType}') AS q FROM $sketches")
        assertEquals(typed.schema("q").dataType, dataType)
        same(
          s"""sketch_quantile(s, 0.5, '${s.sqlType}') = ${s.mid}, sketch_quantile(s, array(0, 1), '${s.sqlType}') = array(${s.low}, ${s.high}),
           |sketch_quantile_bounds(s, 1, '${s.sqlType}') = ${struct(s.high)},
           |sketch_min(s, '${s.sqlType}') = ${s.low}, sketch_max(s, '${s.sqlType}') = ${s.high},
           |sketch_rank(s, ${s.mid}) = 2, sketch_rank_bounds(s, ${s.low}) = named_struct('low', 1L, 'high', 1L),
           |sketch_cdf(s, array(${s.low}, ${s.high})) = array(1 / 3D, 1D), sketch_pmf(s, array(${s.mid})) = array(2 / 3D, 1 / 3D),
           |sketch_describe(s).value_type = '${s.sqlType}'""".stripMargin,
          sketches
        )
      }
    }

  test("2^53 + 1 and its neighbours are three different values") {
    val t = "VALUES (9007199254740992), (9007199254740993), (9007199254740994) AS t(v)"
    assertEquals(
      one(s"SELECT approx_quantile(v, array(0, 0.5, 1)) FROM $t"),
      Seq(9007199254740992L, 9007199254740993L, 9007199254740994L): Any
    )
    assertEquals(one(s"SELECT sketch_rank(quantile_sketch_agg(v), 9007199254740993) FROM $t"), 2L)
  }

  test("floating point: −0.0 equals 0.0; NaN is counted, and is the greatest, after +∞") {
    val t = "VALUES (double('NaN')), (double('Infinity')), (-0.0D), (0.0D), (double('-Infinity')) AS t(v)"
    val answers = one(
      s"SELECT approx_quantile(v, array(0.2, 0.4, 0.6, 0.8, 1)) FROM $t"
    ).asInstanceOf[scala.collection.Seq[Double]]
    assertEquals(answers.map(_.toString).toSeq, Seq("-Infinity", "0.0", "0.0", "Infinity", "NaN"))
    assertEquals(
      one(
        s"SELECT sketch_cdf(quantile_sketch_agg(v), array(double('-Infinity'), -0.0D, double('Infinity'), double('NaN'))) FROM $t"
      ),
      Seq(0.2, 0.6, 0.8, 1.0): Any
    )
    assertEquals(one(s"SELECT sketch_rank(quantile_sketch_agg(v), 0) FROM $t"), 3L)
  }

  // types that merge: each pair, in either order, gives a sketch of the wider type
  private val widening = Seq(
    ("TINYINT", "SMALLINT", "SMALLINT"),
    ("INT", "BIGINT", "BIGINT"),
    ("SMALLINT", "BIGINT", "BIGINT"),
    ("FLOAT", "DOUBLE", "DOUBLE"),
    ("DECIMAL(5,2)", "DECIMAL(18,2)", "DECIMAL(18,2)"),
    ("DECIMAL(5,2)", "DECIMAL(5,1)", "DECIMAL(6,2)"),
    ("INT", "DOUBLE", "DOUBLE"),
    ("TINYINT", "FLOAT", "DOUBLE"),
    ("INT", "DECIMAL(5,2)", "DECIMAL(12,2)"),
    ("INTERVAL DAY", "INTERVAL HOUR TO SECOND", "INTERVAL DAY TO SECOND"),
    ("INTERVAL YEAR", "INTERVAL MONTH", "INTERVAL YEAR TO MONTH"),
    ("TIME(0)", "TIME(6)", "TIME(6)")
  )
  private val apart = Seq(
    "BIGINT" -> "DOUBLE",
    "BIGINT" -> "DECIMAL(18,0)",
    "DECIMAL(18,18)" -> "DECIMAL(5,2)",
    "DECIMAL(5,2)" -> "DOUBLE",
    "DATE" -> "TIMESTAMP",
    "TIMESTAMP" -> "TIMESTAMP_NTZ",
    "INTERVAL DAY" -> "INTERVAL YEAR",
    "DATE" -> "INT",
    "TIME(6)" -> "BIGINT"
  )

  // each sketch has values: one without values merges with any other
  private def sketchOf(sqlType: String): String = {
    val value = samples.find(_.sqlType == sqlType).fold(valueOf(sqlType))(_.mid)
    s"(SELECT quantile_sketch_agg(CAST($value AS $sqlType)) FROM range(3))"
  }

  private def valueOf(sqlType: String): String =
    if (sqlType.startsWith("DECIMAL")) "1"
    else if (sqlType.startsWith("TIME(")) "TIME'01:02:03'"
    else if (sqlType.contains("YEAR") || sqlType.contains("MONTH")) "INTERVAL '1' YEAR"
    else "INTERVAL '1' DAY"

  for (((a, b, wide), i) <- widening.zipWithIndex; (left, right) <- Cases.turn(i, Seq(a -> b, b -> a)))
    test(s"$left and $right merge into $wide") {
      Seq(
        s"sketch_merge(${sketchOf(left)}, ${sketchOf(right)})",
        s"(SELECT sketch_merge_agg(s) FROM (SELECT ${sketchOf(left)} AS s UNION ALL SELECT ${sketchOf(right)}))"
      ).foreach { union =>
        assertEquals(one(s"SELECT sketch_describe($union).value_type"), wide)
        assertEquals(one(s"SELECT sketch_count($union)"), 6L)
      }
    }

  for (((a, b), i) <- apart.zipWithIndex; (left, right) <- Cases.turn(i, Seq(a -> b, b -> a)))
    test(s"$left and $right do not merge, and the error names both") {
      val e = refusal(s"SELECT sketch_merge(${sketchOf(left)}, ${sketchOf(right)})")
      assertEquals(e.getCondition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
      assertEquals(e.getMessageParameters.get("left"), left)
      assertEquals(e.getMessageParameters.get("right"), right)
    }

  test(
    "types that do not merge: with the casts that the error suggests they merge, and no value is lost"
  ) {
    withConf(TypedRows.TimeType) {
      val types = samples.map(_.sqlType).distinct
      def domain(sqlType: String) = KeyCodec.of(DataType.fromDDL(sqlType)).get.domain
      def isCast(from: Domain, to: Domain) = from == to || Cast.of(from, to).nonEmpty
      val fixes = for {
        left <- types
        right <- types
        if domain(left).coerced(domain(right)).isEmpty
        refusal = intercept[Refusal](
          domain(left).widenOrRefuse(domain(right), QuantileSketch.ofValue(Seq(0.001)), isCast)
        )
      } yield (left, right, refusal.parameters("fix"))
      val (casts, others) = fixes.partition(_._3.startsWith("Build both with the type "))
      assert(casts.length >= 10 && others.length > 100, s"${casts.length} ${others.length}")
      others.foreach { case (left, right, fix) =>
        // of no type of its own: a cast to it would lose digits
        assert(!fix.contains("CAST") && !fix.contains("sketch_cast(sketch, '"), fix)
        assert(fix.contains(s"one type, $left or $right."), fix)
      }
      casts.filter(_._3.contains("sketch_cast")).foreach { case (left, right, fix) =>
        val wide = """sketch_cast\(sketch, '(.*)'\)""".r.findFirstMatchIn(fix).get.group(1)
        // of dates, only those far from any calendar have no midnight
        val numbers = Seq(left, right).map(domain).filter(d => d.isNumeric && d != domain(wide))
        assert(numbers.forall(Cast.of(_, domain(wide)).get.isExact), fix)
      }
      val tried = Cases.some(24, casts)
      val asked = tried.map { case (left, right, fix) =>
        val call = fix.split("holds all of them: ")(1).split("\\. Or ")(0).stripSuffix(".")
        val wide = """CAST\(value AS (.*)\), epsilon""".r.findFirstMatchIn(call).get.group(1)
        def built(sqlType: String) = s"(SELECT $call FROM ${valuesOf(sqlType)})"
        val isKept = Seq(left, right).map(t =>
          s"(SELECT every(CAST(CAST(value AS $wide) AS $t) <=> value) FROM ${valuesOf(t)})"
        )
        s"sketch_count(sketch_merge(${built(left)}, ${built(right)})) = ${(samplesOf(left) ++ samplesOf(right)).size} AND ${isKept.mkString(" AND ")}"
      }
      tried.zip(asked).grouped(12).foreach { some =>
        val answers = sql(s"SELECT ${some.map(_._2).mkString(", ")}").head()
        some.zipWithIndex.foreach { case (((left, right, fix), _), i) =>
          assert(answers.getBoolean(i), s"$left $right: $fix")
        }
      }
    }
  }

  private def samplesOf(sqlType: String): Seq[String] =
    samples.filter(_.sqlType == sqlType).flatMap(s => Seq(s.low, s.mid, s.high))

  private def valuesOf(sqlType: String): String =
    samplesOf(sqlType).map(v => s"(CAST($v AS $sqlType))").mkString("VALUES ", ", ", " AS t(value)")
}

object TypesSuite {

  /** A type and three of its values in ascending order, as SQL literals. */
  private final case class Sample(sqlType: String, low: String, mid: String, high: String)
}
