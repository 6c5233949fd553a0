package chronosketch.spark.sliding

import java.nio.file.{Files, Path}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.spark.sql.AnalysisException

import chronosketch.spark.advisor.AdviceConf

/** Tests the choice of `auto` for large frames by the cost model, the costs in EXPLAIN, and the measured costs in metrics. */
class PredictionsSuite extends SlidingSuite {
  private val over = "OVER (ORDER BY id ROWS BETWEEN 19999 PRECEDING AND CURRENT ROW)"

  private def structure(settings: (String, String)*): String =
    withConf((SlidingConf.ExactFrameRows -> "1000") +: settings: _*) {
      val text = sql(
        s"EXPLAIN FORMATTED SELECT approx_quantile(id, 0.5, 0.05) $over FROM range(9)"
      ).head().getString(0)
      text.linesIterator.find(_.startsWith("Structure: ")).get.drop(11)
    }

  /** Writes a copy of the built-in cost model with one structure slower by the factor `times`. */
  private def model(slow: String, times: Double): Path = {
    val mapper = new ObjectMapper()
    val root = mapper.readTree(getClass.getResourceAsStream("/chronosketch/cost-model.json"))
    root.get("models").forEach { m =>
      if (m.get("approach").asText == slow && m.get("aggregate").asText == "frame") {
        val time = m.get("responses").get("time").asInstanceOf[ObjectNode]
        val isPower = time.get("form").asText == "power"
        val coefficients = time.get("coefficients").asInstanceOf[ArrayNode]
        (0 until coefficients.size).foreach { i =>
          val before = coefficients.get(i).asDouble
          val isOne = time.get("terms").get(i).asText == "one"
          val after = if (!isPower) before * times else if (isOne) before + math.log(times) else before
          coefficients.set(i, mapper.getNodeFactory.numberNode(after))
        }
      }
    }
    Files.write(Files.createTempFile("cost-model", ".json"), mapper.writeValueAsBytes(root))
  }

  private val prediction =
    """block sort, (.*) beyond 1000 rows \[predicted (\d+) ns a row and (\d+) KiB(, estimated from the nearest measurement)?; next: (.*), (\d+) ns a row\]""".r

  test("EXPLAIN shows the predicted costs of the structure and of the next best one") {
    structure() match {
      case prediction(chosen, nanos, bytes, _, next, more) =>
        assertNotEquals(chosen, next)
        assert(nanos.toLong > 0 && nanos.toLong <= more.toLong && bytes.toLong > 0, structure())
      case other => fail(other)
    }
  }

  test("docs/advisor.md shows the EXPLAIN output of the built-in model") {
    val page = Files.readString(Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent)
      .map(_.resolve("docs/advisor.md")).find(Files.exists(_)).get)
    val frame = "ORDER BY id RANGE BETWEEN 5 PRECEDING AND CURRENT ROW"
    val text = sql(
      s"EXPLAIN FORMATTED SELECT approx_quantile(id, 0.5) OVER ($frame) FROM range(9)"
    ).head().getString(0)
    val line = text.linesIterator.find(_.startsWith("Structure: ")).get
    assert(line.contains("[predicted ") && page.contains(s"    $line\n"), line)
  }

  test("auto uses the session's cost model") {
    val prediction(first, _, _, _, _, _) = structure(): @unchecked
    val name = Map("Arasu–Manku" -> "arasu_manku", "CMQS" -> "cmqs").getOrElse(first, "arasu_manku_variable")
    val file = model(name, 1000)
    val prediction(other, _, _, _, _, _) = structure(AdviceConf.Model -> file.toString): @unchecked
    assertNotEquals(other, first)
    withConf(SlidingConf.ExactFrameRows -> "1000", AdviceConf.Model -> file.toString) {
      val rows = inOurs(sql(s"SELECT id, approx_quantile(id, 0.5, 0.05) $over FROM range(30000)")).rows
      rows.foreach { r =>
        val seen = math.min(20000L, r.getLong(0) + 1)
        val middle = r.getLong(0) - seen + (seen + 1) / 2
        assert(math.abs(r.getLong(1) - middle) <= 0.05 * seen + 1, r.toString)
      }
    }
    Files.delete(file)
  }

  test("costs are predicted for a structure chosen by name, too, but not for exact ones") {
    assert(
      structure(SlidingConf.Structure -> "cmqs").startsWith("block sort, CMQS beyond 40 rows [predicted ")
    )
    // its sample is larger than any frame here
    assertEquals(structure(SlidingConf.Structure -> "bernoulli"), "block sort")
    assert(structure(
      SlidingConf.Structure -> "bernoulli",
      SlidingConf.Delta -> "0.1"
    ).contains("[predicted "))
    assertEquals(structure(SlidingConf.Structure -> "block_sort"), "block sort")
  }

  test("metrics show the cost of large frames") {
    withConf(SlidingConf.ExactFrameRows -> "1000") {
      val answers = inOurs(sql(s"SELECT approx_quantile(id, 0.5, 0.05) $over FROM range(50000)"))
      assertEquals(answers.metric("certifiedRows"), 49000L)
      assert(answers.metric("largeFrameTime") > 49000L, answers.metric("largeFrameTime"))
      assert(answers.metric("largeFrameBytes") > 1000L, answers.metric("largeFrameBytes"))
    }
    val exact = inOurs(sql(s"SELECT approx_quantile(id, 0.5, 0.05) $over FROM range(5000)"))
    assertEquals(exact.metric("largeFrameTime") + exact.metric("largeFrameBytes"), 0L)
  }

  test("an invalid or missing model is refused") {
    val file = Files.writeString(Files.createTempFile("cost-model", ".json"), "{}")
    for ((path, said) <- Seq(file.toString -> "no field", "/nowhere/cost-model.json" -> "/nowhere"))
      withConf(SlidingConf.ExactFrameRows -> "1000", AdviceConf.Model -> path)(
        interceptMessageContains(said)(
          sql(s"SELECT approx_quantile(id, 0.5, 0.05) $over FROM range(9)").collect()
        )
      )
    Files.delete(file)
  }

  private def interceptMessageContains(text: String)(body: => Any): Unit = {
    val e = intercept[AnalysisException](body)
    assert(e.getMessage.contains(text), e.getMessage)
    assertEquals(e.getCondition, "CHRONOSKETCH_NO_COST_MODEL")
  }
}
