package chronosketch.spark.state

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, udf}

import chronosketch.Cases
import chronosketch.spark.SparkSuite

/** Tests streams that restart from their checkpoint: the same or a compatible query continues, and any other is refused with a named
  * condition. Each row of the table "What may change on restart" in docs/hopping.md is a test here.
  */
class RestartSuite extends SparkSuite with Restarts {
  import Restarts._

  override def munitTimeout: Duration = 15.minutes

  private val Changed = "CHRONOSKETCH_STREAM_STATE_CHANGED"
  private val Unknown = "CHRONOSKETCH_STREAM_STATE_UNKNOWN"
  private val Newer = "CHRONOSKETCH_STREAM_STATE_NEWER"

  private val panes = Query()
  private val chained = Query(store = OnHeap)
  private val grouped =
    Query(Seq("approx_quantile(v, 0.5, 0.001)", "count(*)"), isHopping = false, store = OnHeap)
  private val quantile = panes.copy(aggs = Seq("approx_quantile(v, 0.5, 0.001)"))

  private def started(q: Query): (Stream, Seq[Row]) = {
    val stream = new Stream
    (stream, stream.run(q, Seq(Events.first)).fold(throw _, identity))
  }

  private def goesOn(before: Query, after: Query): Unit = {
    val (stream, made) = started(before)
    val rest = stream.run(after, Seq(Events.second, Events.last)).fold(throw _, identity)
    assertEquals(differences(after, made, rest).take(5), Nil)
    assert(rest.size > 3)
  }

  private def refusal(stream: Stream, q: Query): Throwable =
    stream.refusal(q).swap.fold(rows => fail(s"not refused: $q, ${rows.take(3)}"), identity)

  /** Asserts that each change is refused for its own reason, and that the original query continues afterwards. */
  private def refused(before: Query, changes: (Query, String)*): Unit = {
    val (stream, made) = started(before)
    changes.foreach { case (after, text) =>
      val error = refusal(stream, after)
      assertEquals(condition(error), Changed, s"$after: ${error.getMessage}")
      assert(error.getMessage.contains(text), s"$text is not in ${error.getMessage}")
    }
    goesOnAfterRefusal(stream, before, made)
  }

  private def goesOnAfterRefusal(stream: Stream, q: Query, made: Seq[Row]): Unit = {
    val rest = stream.run(q, Seq(Events.last)).fold(throw _, identity)
    assertEquals(differences(q, made, rest).take(5), Nil)
  }

  private def allowed(name: String, before: Query, after: Query): Unit =
    test(s"$name goes on")(goesOn(before, after))

  // panes in the state of hopping_sketch

  allowed("the same query in append mode", panes, panes)
  allowed("the same query in update mode", panes.copy(mode = "update"), panes.copy(mode = "update"))
  allowed(
    "a query with another phi, and with answers from the same parts,",
    panes.copy(aggs = Seq("approx_quantile(v, 0.5)", "avg(w)")),
    panes.copy(aggs = Seq("approx_quantile(v, array(0.1, 0.9))", "sum(w)", "count(w)"))
  )
  allowed("a greater epsilon", quantile, panes.copy(aggs = Seq("approx_quantile(v, 0.5, 0.002)")))
  allowed(
    "a greater epsilon of a window sketch",
    panes.copy(aggs = Seq("sketch_count(window_sketch_agg(v, ts, epsilon => 0.01))")),
    panes.copy(aggs = Seq("sketch_count(window_sketch_agg(v, ts, epsilon => 0.02))"))
  )
  allowed("another delay of the watermark", panes, panes.copy(delay = "2 minutes"))
  allowed("another number of shuffle partitions", panes, panes.copy(partitions = 3))

  test("a query with another sink goes on") {
    val (stream, _) = started(panes.copy(isKept = false))
    val rest = stream.run(panes, Seq(Events.second, Events.last)).fold(throw _, identity)
    val truth = texts(whole(panes, Events.first ++ Events.second))
    assertEquals(texts(rest).diff(truth), Nil)
    assert(rest.size > 10)
  }

  test(
    "changed aggregates are refused: added, removed, reordered, with another function, value or FILTER"
  ) {
    refused(
      panes,
      panes.copy(aggs = panes.aggs :+ "max(v)") -> "aggregate 3 was absent, and is max(v) of BIGINT now",
      panes.copy(aggs = panes.aggs.init) -> "aggregate 2 was sum(v) of BIGINT, and is absent now",
      panes.copy(aggs =
        panes.aggs.reverse
      ) -> "aggregate 1 was count(1) of rows, and is sum(v) of BIGINT now",
      panes.copy(aggs = Seq("count(*)", "max(w)")) -> "and is max(w) of DOUBLE now",
      panes.copy(aggs = Seq("count(*)", "sum(v + 1)")) -> "and is sum((v + ",
      panes.copy(aggs = Seq("count(*)", "sum(v) FILTER (WHERE w > 10)")) -> "FILTER (WHERE (w > ",
      panes.copy(aggs = Seq("moments_agg(v)", "sum(v)")) -> "and is moments"
    )
  }

  test("another size, slide, key or order of keys is refused") {
    val both = panes.copy(by = Seq("host", "site"))
    refused(
      panes,
      panes.copy(slide = "2 minutes") -> "slide was '1 minute', and is '2 minutes' now",
      panes.copy(size = "8 minutes") -> "size was '4 minutes', and is '8 minutes' now",
      panes.copy(by = Seq("site")) -> "key 1 was host STRING, and is site STRING now",
      panes.copy(time = "seen") -> "event_time was ts TIMESTAMP, and is seen TIMESTAMP now"
    )
    refused(both, both.copy(by = both.by.reverse) -> "key 2 was site STRING, and is host STRING now")
  }

  test("a smaller epsilon and another summary are refused") {
    refused(
      quantile,
      panes.copy(aggs = Seq("approx_quantile(v, 0.5, 0.0005)")) ->
        "was 0.001, and is 5.0E-4 now: only a greater one can be promised",
      panes.copy(aggs =
        Seq("moments_agg(v)")
      ) -> "aggregate 1 was quantile sketch of v of BIGINT, and is moments"
    )
  }

  test("an added or removed key, another output mode and another state store are refused by Spark") {
    val both = panes.copy(by = Seq("host", "site"))
    val changes = Seq(
      (panes, both, "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE"),
      (both, panes, "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE"),
      (panes.copy(mode = "update"), panes, "STATE_STORE_INVALID_CONFIG_AFTER_RESTART"),
      (panes, chained, "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA")
    )
    Cases.some(2, changes).foreach { case (before, after, by) =>
      val (stream, made) = started(before)
      assertEquals(condition(refusal(stream, after)), by)
      goesOnAfterRefusal(stream, before, made)
    }
  }

  // two chained aggregations, and a single one

  allowed("the same query with two aggregations of Spark's", chained, chained)
  test("other windows and values are refused with two aggregations of Spark's") {
    refused(
      chained,
      chained.copy(slide = "2 minutes") -> "slide '2 minutes'",
      chained.copy(size = "8 minutes") -> "size '8 minutes'",
      chained.copy(aggs = Seq("count(*)", "sum(v + 1)")) -> "sum(v) of BIGINT"
    )
    val two = chained.copy(aggs = Seq("sum(v)", "min(v)"))
    refused(two, two.copy(aggs = two.aggs.reverse) -> "aggregate 1 was sum(")
  }

  allowed("the same GROUP BY", grouped, grouped)
  allowed(
    "a GROUP BY with another phi and a greater epsilon",
    grouped,
    grouped.copy(aggs = Seq("approx_quantile(v, 0.9, 0.002)", "count(*)"))
  )
  test("another summary, value, epsilon or window of a GROUP BY is refused") {
    refused(
      grouped,
      grouped.copy(aggs = Seq("moments_agg(v)", "count(*)")) ->
        "aggregate 1 was quantile sketch of v of BIGINT, and is moments",
      grouped.copy(aggs = Seq("approx_quantile(v + 1, 0.5)", "count(*)")) -> "of (v + ",
      grouped.copy(aggs = Seq("approx_quantile(v, 0.5)", "count(w)")) -> "count(w) of DOUBLE",
      grouped.copy(aggs =
        Seq("approx_quantile(v, 0.5, 0.0001)", "count(*)")
      ) -> "only a greater one can be promised",
      grouped.copy(slide = "2 minutes") -> "slide '2 minutes'",
      grouped.copy(size = "8 minutes") -> "size '8 minutes'",
      grouped.copy(by = Seq("site")) -> "key 1 was host STRING"
    )
    val least = grouped.copy(aggs = Seq("n_least(v, 3)"))
    refused(least, least.copy(aggs = Seq("n_least(v, 5)")) -> "n_least(v, 3)")
  }

  test("a stream is refused before it reads a row") {
    import RestartSuite.read
    val counting = udf { (_: Long) => read.incrementAndGet(); true }.asNondeterministic()
    val stream = new Stream(_.filter(counting(col("v"))))
    stream.run(panes, Seq(Events.first)).fold(throw _, identity)
    assert(read.get >= Events.first.size)
    read.set(0)
    assertEquals(condition(refusal(stream, panes.copy(slide = "2 minutes"))), Changed)
    assertEquals(read.get, 0L)
  }

  test("after a restart with a greater epsilon the old one is refused: the state has the greater one") {
    val (stream, _) = started(quantile)
    stream.run(
      panes.copy(aggs = Seq("approx_quantile(v, 0.5, 0.002)")),
      Seq(Events.second)
    ).fold(throw _, identity)
    assertEquals(condition(refusal(stream, quantile)), Changed)
  }

  test("state with a layout that is newer, missing or unreadable is refused") {
    val (stream, made) = started(panes)
    val file = stream.layouts.head
    val text = Files.readString(file)
    def refusedWith(changed: Option[String]): Throwable = {
      changed.fold(Files.delete(file))(Files.writeString(file, _))
      Files.deleteIfExists(file.resolveSibling("." + file.getFileName + ".crc"))
      refusal(stream, panes)
    }
    val newer = refusedWith(Some(text.replace("\"format\" : 1", "\"format\" : 2")))
    assertEquals(condition(newer), Newer)
    assert(newer.getMessage.contains("in format 2"), newer.getMessage)
    Seq(Some(text.take(40)), Some(""), Some("[]"), Some(text.replace("\"name\"", "\"nom\"")), None).foreach {
      changed =>
        assertEquals(condition(refusedWith(changed)), Unknown, changed)
    }
    Files.writeString(file, text)
    val rest = stream.run(panes, Seq(Events.last)).fold(throw _, identity)
    assertEquals(differences(panes, made, rest).take(5), Nil)
  }

  test("a query may change if its first batch was never committed") {
    val (stream, _) = started(panes)
    // as if the driver was lost after planning the first batch
    stream.forgetCommits()
    val other = panes.copy(slide = "2 minutes")
    val rest = stream.run(other, Seq(Events.second, Events.last)).fold(throw _, identity)
    // the source returns no row twice, so the rows of the first batch are lost
    assertEquals(differences(other, Nil, rest, Events.second).take(5), Nil)
    assertEquals(condition(refusal(stream, panes)), Changed)
  }

  test("EXPLAIN writes no layout") {
    val q = panes
    val shown = explained(q)
    assert(shown.contains("TransformWithState"), shown)
    assert(!Files.exists(java.nio.file.Path.of("<unknown>")))
  }

  test("after random changes streams go on with the right answers, or are refused by a condition") {
    (0 until Cases.of(2)).foreach(i => RestartCampaign.run(i.toLong).failure.foreach(fail(_)))
  }
}

object RestartSuite {

  /** The number of rows read in all tasks of the JVM. */
  val read = new AtomicLong
}
