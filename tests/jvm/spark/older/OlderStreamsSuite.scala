package chronosketch.spark.older

import java.nio.file.{Files, Path}

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

import chronosketch.spark.SparkSuite
import chronosketch.spark.state.Restarts

/** Tests that streams go on from checkpoints of an older version, with the windows of a table. */
class OlderStreamsSuite extends SparkSuite {
  private val size = 240
  private val functions = Seq(
    "approx_quantile(v, 0.5, 0.001) AS q",
    "count(*) AS n",
    "sum(v) AS s",
    "sketch_count(moments_agg(v)) AS m"
  )
  private val hopping =
    "SELECT * FROM hopping_sketch(TABLE(events), event_time => 'ts', size => '4 minutes', slide => '1 minute', " +
      s"by => array('host'), aggs => array(${functions.map(f => s"'$f'").mkString(", ")}))"

  private def grouped(table: String): String =
    s"SELECT host, window, ${functions.mkString(", ")} FROM $table GROUP BY host, window(ts, '4 minutes', '1 minute')"

  /** Rows, one each second, as write.py has them. */
  private def events(numbers: DataFrame): DataFrame = numbers.selectExpr(
    "concat('h', value % 2) AS host",
    "timestamp_seconds(value) AS ts",
    "value * 37 % 100 AS v"
  )

  private type Windows = Seq[Seq[Any]]

  private def windows(answers: DataFrame): Windows =
    answers.selectExpr("host", "unix_seconds(window.start)", "q", "n", "s", "m").collect().toSeq.map(_.toSeq)

  /** A copy of a checkpoint. Spark notes the whole path of the state's schema, which is that of the copy then. */
  private def copied(part: String): Path = {
    val data = OlderData.copy(part)
    val notes = data.resolve("checkpoint/state/0/_metadata/v2")
    if (Files.exists(notes))
      Using.resource(Files.list(notes))(_.iterator.asScala.toSeq).foreach { note =>
        Files.writeString(note, Files.readString(note).replace(s"file:/older/$part", s"file:$data"))
      }
    data
  }

  /** The windows that the older version has closed. */
  private def closed(data: Path): Windows = {
    val lines = new ObjectMapper().readTree(Files.readString(data.resolve("closed.json")))
    lines.elements.asScala.toSeq.map(_.elements.asScala.toSeq.map { value =>
      if (value.isTextual) value.textValue else value.longValue
    })
  }

  /** Goes on with two batches of rows, and returns the windows that they close. */
  private def goOn(data: Path, query: String, store: String): Windows =
    withConf(
      "spark.sql.streaming.stateStore.providerClass" -> store,
      "spark.sql.shuffle.partitions" -> "2",
      "spark.sql.session.timeZone" -> "UTC"
    ) {
      val source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", size)
        .option("numPartitions", 2).option("startTimestamp", 0).option("advanceMillisPerBatch", 240000).load()
      events(source).withWatermark("ts", "1 minute").createOrReplaceTempView("events")
      val found = new ArrayBuffer[Seq[Any]]
      val batch: (DataFrame, Long) => Unit = (answers, _) => { found ++= windows(answers); () }
      (1 to 2).foreach { _ =>
        sql(query).writeStream.outputMode("append").foreachBatch(batch)
          .option("checkpointLocation", data.resolve("checkpoint").toString)
          .trigger(Trigger.AvailableNow()).start().awaitTermination()
      }
      found.toSeq
    }

  private def check(part: String, query: String, store: String): Unit = {
    val data = copied(part)
    val older = closed(data)
    assert(older.size > 5, older)
    val newer = goOn(data, query, store)
    assert(newer.size > 10, newer)
    events(spark.range(4L * size).toDF("value")).createOrReplaceTempView("whole")
    // the watermark is a minute behind the newest row
    val last = 4L * size - 1 - 60
    val truth = windows(sql(grouped("whole"))).filter(_(1).asInstanceOf[Long] + 240 <= last)
    def sorted(all: Windows): Seq[String] = all.map(_.mkString(" ")).sorted
    assertEquals(sorted(older ++ newer), sorted(truth))
  }

  test("a stream of hopping windows goes on")(check("hopping", hopping, Restarts.RocksDb))

  test("a streaming aggregation goes on")(check("grouped", grouped("events"), Restarts.OnHeap))

  test("a query that another one's state does not fit is refused, as with state of this version") {
    val data = copied("hopping")
    val other = hopping.replace("'1 minute'", "'2 minutes'")
    val error = intercept[Exception](goOn(data, other, Restarts.RocksDb))
    assert(error.getMessage.contains("CHRONOSKETCH_STREAM_STATE_CHANGED"), error.getMessage)
  }
}
