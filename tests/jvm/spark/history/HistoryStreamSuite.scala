package chronosketch.spark.history

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{DataFrame, Encoders}

import chronosketch.spark.SparkSuite

/** Tests that histories of streams are refused, because they need all rows of a group, and that the suggested alternative works. */
class HistoryStreamSuite extends SparkSuite {
  Seq("history_sketch_agg(value, value)", "approx_quantile_at_version(value, value, 1, 0.5, 3)").foreach {
    call =>
      test(s"a stream is refused: $call") {
        val stream = MemoryStream[Long](Encoders.scalaLong, spark)
        val refused =
          intercept[AnalysisException](stream.toDF().groupBy(expr("value % 2")).agg(expr(call)).schema)
        assertEquals(refused.getCondition, "CHRONOSKETCH_HISTORY_OF_STREAM")
        assertEquals(
          refused.getMessage.takeWhile(_ != ';').replaceAll(" SQLSTATE.*", ""),
          s"[CHRONOSKETCH_HISTORY_OF_STREAM] ${call.takeWhile(_ != '(')} can't run on a stream, because it needs all rows of a group in the order of their versions. To keep the history of a Delta or Iceberg table, CALL chronosketch.follow. Otherwise build the history in a batch job. Or build one for each batch in foreachBatch, and merge them with sketch_merge."
        )
      }
  }

  test("foreachBatch can build a history for each batch") {
    val stream = MemoryStream[Long](Encoders.scalaLong, spark)
    val lasts = Seq.newBuilder[Long]
    val batch: (DataFrame, Long) => Unit = (df, _) =>
      df.selectExpr("sketch_versions(history_sketch_agg(value, value)).last").collect().foreach(r =>
        lasts += r.getLong(0)
      )
    val running = stream.toDF().writeStream.foreachBatch(batch).start()
    try {
      stream.addData(1L, 2L, 3L)
      running.processAllAvailable()
      stream.addData(8L)
      running.processAllAvailable()
    } finally running.stop()
    assertEquals(lasts.result(), Seq(3L, 8L))
  }
}
