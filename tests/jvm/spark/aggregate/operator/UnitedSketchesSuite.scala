package chronosketch.spark.aggregate.operator

import chronosketch.Cases

/** Tests sketch_merge_agg over stored sketches: our operator merges and refuses as Spark's does. */
class UnitedSketchesSuite extends OperatorSuite {
  private def store(): Unit =
    sql(
      """SELECT id % 2 AS k, id % 7 AS part, quantile_sketch_agg(id) AS s FROM range(0, 200, 1, 3) GROUP BY 1, 2
        |UNION ALL SELECT 0, 8, CAST(NULL AS BINARY)
        |UNION ALL SELECT 2, 9, CAST(NULL AS BINARY)
        |UNION ALL SELECT 1, 10, quantile_sketch_agg(id) FROM range(0)
        |UNION ALL SELECT 3, 11, quantile_sketch_agg(id) FROM range(0)""".stripMargin
    ).createOrReplaceTempView("stored")

  private def bothWays(body: => Unit): Unit = {
    body
    withConf(OperatorSuite.notCompiled: _*)(body)
  }

  test("NULL sketches are skipped, empty ones add nothing, and the union of no sketches is NULL") {
    store()
    bothWays {
      val by = assertSame("SELECT k, sketch_merge_agg(s) AS s FROM stored GROUP BY k")
      assertEquals(by.rows.size, 4)
      assert(by.rows.exists(_ == "{2, NULL}"), by.rows)
      assertSame(
        "SELECT sketch_merge_agg(s) AS s, count(s), sketch_merge_agg(s) FILTER (WHERE part > 3) FROM stored"
      )
      assertEquals(assertSame("SELECT sketch_merge_agg(s) FROM stored WHERE part > 11").rows, Seq("{NULL}"))
      assertEquals(assertSame("SELECT sketch_merge_agg(s) FROM stored WHERE s IS NULL").rows, Seq("{NULL}"))
      assertEquals(
        assertSame("SELECT k, sketch_merge_agg(s) FROM stored WHERE part > 11 GROUP BY k").rows,
        Nil
      )
      assertEquals(assertSame("SELECT sketch_merge_agg(NULL), count(*) FROM stored").rows, Seq("{NULL, 18}"))
    }
  }

  test("a union answers as the sketch of all rows") {
    store()
    bothWays {
      val union = assertSame(
        "SELECT k, sketch_quantile(sketch_merge_agg(s), array(0, 0.5, 1), 'bigint') FROM stored WHERE part < 7 GROUP BY k"
      )
      val whole =
        inOurs(sql("SELECT id % 2, approx_quantile(id, array(0, 0.5, 1)) FROM range(200) GROUP BY 1"))
      assertEquals(union.rows, whole.rows)
    }
  }

  test("sketches with several epsilons, and with types that widen") {
    bothWays {
      assertSame(
        """SELECT sketch_merge_agg(s) FROM (SELECT quantile_sketch_agg(id, 0.01) AS s FROM range(50)
          |  UNION ALL SELECT quantile_sketch_agg(id, 0.001) FROM range(50))""".stripMargin
      )
      Seq("TINYINT" -> "BIGINT", "FLOAT" -> "DOUBLE", "DECIMAL(5,2)" -> "DECIMAL(10,2)").foreach {
        case (a, b) =>
          assertSame(
            s"""SELECT sketch_merge_agg(s) FROM (SELECT quantile_sketch_agg(CAST(id AS $a)) AS s FROM range(50)
             |  UNION ALL SELECT quantile_sketch_agg(CAST(id AS $b)) FROM range(50))""".stripMargin
          )
      }
    }
  }

  test("bytes that are damaged, not a sketch, or of another family are refused as in Spark's operator") {
    val sketch = one("SELECT hex(quantile_sketch_agg(id)) FROM range(50)").toString
    val damaged = sketch.dropRight(2) + (if (sketch.endsWith("00")) "01" else "00")
    bothWays {
      val hostile = Seq("", "00", "CAFE", sketch.dropRight(2), sketch + "00", damaged)
      Cases.inTurns(hostile, Seq("GROUP BY k", "")).foreach { case (bytes, by) =>
        val refused = assertSameRefusal(
          s"SELECT sketch_merge_agg(s) FROM (SELECT X'$bytes' AS s, 1 AS k UNION ALL SELECT X'$sketch', 2) $by"
        )
        assert(refused.getCondition.startsWith("CHRONOSKETCH_"), refused.getCondition)
      }
      val mixed = assertSameRefusal(
        """SELECT sketch_merge_agg(s) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(50)
          |  UNION ALL SELECT quantile_sketch_agg(DATE'2020-01-01') FROM range(50))""".stripMargin
      )
      assert(mixed.getCondition.startsWith("CHRONOSKETCH_"), mixed.getCondition)
    }
  }
}
