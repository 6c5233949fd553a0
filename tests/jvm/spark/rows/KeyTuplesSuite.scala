package chronosketch.spark.rows

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import chronosketch.Cases
import chronosketch.memory.Meter
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Tests groups by several keys whose values are numbered separately. Compares them with Spark's groups, and with groups by the bytes of
  * the keys.
  */
class KeyTuplesSuite extends OperatorSuite with ScalaCheckSuite {

  // ---- group numbers

  private val number = Gen.oneOf(Gen.choose(0, 600), Gen.choose(0, Int.MaxValue), Gen.const(Int.MaxValue))

  property("a pair gives back its two numbers, and pairs of small numbers are small") {
    forAll(number, number) { (left, right) =>
      val pair = KeyTuples.pair(left, right)
      assertEquals((KeyTuples.left(pair), KeyTuples.right(pair)), (left, right))
      assert(pair >= 0)
      if (left < 256 && right < 256) assert(pair < (1 << 16))
    }
  }

  private val types = Seq(IntegerType, BooleanType, LongType, DecimalType(10, 2), StringType)
  private val values: Seq[Gen[Any]] = Seq(
    Gen.choose(-3, 3),
    Gen.oneOf(true, false),
    Gen.oneOf(Long.MinValue, -1L, 0L, Long.MaxValue),
    Gen.choose(-3, 3).map(n => Decimal(n, 10, 2)),
    Gen.oneOf("", "a", "a text of several words").map(UTF8String.fromString)
  ).map(of => Gen.frequency[Any](1 -> Gen.const(null), 3 -> of))
  private val tuples = Gen.choose(1, types.length).flatMap { width =>
    Gen.listOf(Gen.sequence[List[Any], Any](values.take(width))).map(width -> _)
  }

  property("groups are numbered in the order of their first keys, and found until clear") {
    forAll(tuples) { case (width, rows) =>
      val meter = new Meter
      val keys = new KeyTuples(types.take(width), meter)
      val toRow = UnsafeProjection.create(types.take(width).zipWithIndex.map { case (t, i) =>
        BoundReference(i, t, nullable = true)
      })
      val bytes = meter.bytes
      (1 to 2).foreach { _ =>
        val seen = mutable.LinkedHashMap.empty[List[Any], Int]
        rows.foreach { row =>
          assertEquals(
            keys.find(toRow(InternalRow.fromSeq(row))),
            seen.getOrElseUpdate(row, seen.size)
          )
        }
        assertEquals(keys.size, seen.size)
        seen.foreach { case (row, group) =>
          assertEquals(keys.row(group).toSeq(types.take(width)).toList, row)
        }
        keys.clear()
        assertEquals(keys.size, 0)
        assertEquals(meter.bytes, bytes)
      }
    }
  }

  // ---- queries

  private val columns = Seq(
    "i" -> "CAST(id % 5 * 1000000000 - 2000000000 AS INT)",
    "l" -> "id % 5 * 2000000000000000000 - 4000000000000000000",
    "d" -> "date_add(DATE'1969-12-30', int(id % 4))",
    "b" -> "id % 2 = 0",
    "m" -> "CAST((id % 5 - 2) / 4 AS DECIMAL(10,2))",
    "x" -> "element_at(array(double('NaN'), -double('NaN'), double(-0.0), double(0.0), 0.1D), int(id % 5) + 1)",
    "f" -> "element_at(array(float('NaN'), float(-0.0), float(0.0), float(0.1)), int(id % 4) + 1)",
    "t" -> "timestamp_micros(id % 3 - 1)",
    "s" -> "element_at(array('', 'a', 'aaaaaaaa', 'aaaaaaaab', 'é'), int(id % 5) + 1)"
  )

  private def view(): Unit = spark.range(0, 3000, 1, 3).selectExpr(
    Seq("id", "IF(id % 4 = 3, NULL, pmod(id * 7919, 1009)) AS v") ++
      columns.zipWithIndex.map { case ((name, key), i) =>
        s"IF(pmod(id * ${2 * i + 3}, 11) = $i OR id % 101 = 0, NULL, $key) AS $name"
      }: _*
  ).createOrReplaceTempView("tuples")

  private val asked =
    "hex(quantile_sketch_agg(v)) AS s, approx_quantile(v, array(0, 0.5, 1)) AS q, ddsketch_agg(v) AS c"

  private val all = Seq(
    Seq("i, l", "d, b", "m, x", "x, f", "s", "s, i, m"),
    Seq("b, i, m", "t, x, l", "l, l", "i, d, m, x", "m, s", "i, s, m, s")
  )
  private val settings = Seq(
    "default" -> Nil,
    "whole-stage code off" -> Seq("spark.sql.codegen.wholeStage" -> "false"),
    "no generated code at all" -> OperatorSuite.notCompiled,
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false")
  )

  settings.zipWithIndex.foreach { case ((setting, conf), i) =>
    test(s"mixed types with NULLs in single columns and in all columns: $setting") {
      view()
      val keys = Cases.turn(i, all).flatten.zipWithIndex
      withConf(conf: _*)(keys.foreach { case (by, j) =>
        Cases.turn(i / 2 + j, Seq(asked, s"$asked, count(*), max(v)")).foreach { what =>
          val query = s"SELECT $by, $what FROM tuples GROUP BY $by"
          val ours = assertSame(query)
          // with a binary among the keys, all keys are compared as bytes
          assertEqual(inOurs(sql(s"$query, binary(concat_ws('', $by))")), ours, query)
        }
      })
    }
  }

  test("with another key, too, both zeros are one group, and all NaNs are one group") {
    spark.range(0, 60, 1, 2).selectExpr(
      "id",
      "id % 2 AS k",
      "element_at(array(double(-0.0), double(0.0), double('NaN'), -double('NaN')), int(id div 2 % 4) + 1) AS x"
    ).createOrReplaceTempView("zeros")
    Seq("k, x", "x, k").foreach { by =>
      val groups = assertSame(s"SELECT $by, approx_quantile(id, 0), count(*) FROM zeros GROUP BY $by").rows
      assertEquals(groups.size, 4)
    }
  }

  test("more keys than can be numbered separately, and a key that cannot") {
    view()
    Seq("i, l, d, b, m", "i, binary(concat('s', l))").foreach { by =>
      assertSame(s"SELECT $by, $asked FROM tuples GROUP BY $by")
    }
  }

  // numbers below 256 in both columns are near each other, others are not; and numbers beyond 16 bits
  Seq(
    "id % 400 AS a, id div 400 AS b",
    "string(id % 400) AS a, string(id div 400) AS b",
    "id % 2 AS a, id div 2 AS b",
    "id AS a, id % 3 AS b"
  ).foreach {
    keys =>
      test(s"a hundred thousand pairs: $keys") {
        spark.range(0, 100000, 1, 1).selectExpr((s"id AS first" +: keys.split(", ").toSeq): _*)
          .selectExpr("a", "b", "explode(array(first, first + 1)) AS v").createOrReplaceTempView("pairs")
        val each =
          "SELECT a, b, approx_quantile(v, 0) AS q, approx_quantile(v, 1) AS r FROM pairs GROUP BY a, b"
        val query =
          s"SELECT count(*), sum(hash(a, b, q)), sum(q), sum(r), count_if(r = q + 1), bit_xor(xxhash64(a, b, q)) FROM ($each)"
        val groups = assertSame(query)
        assert(groups.rows.head.startsWith("{100000, "), groups.rows)
      }
  }
}
