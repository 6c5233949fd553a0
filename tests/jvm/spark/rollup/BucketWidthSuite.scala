package chronosketch.spark.rollup

import java.time.{LocalDateTime, ZoneId, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.functions.col

import chronosketch.Cases
import chronosketch.spark.SparkSuite

/** Tests buckets: the same for rows and for single times, without gaps, and nested. */
class BucketWidthSuite extends SparkSuite {
  private val texts = Seq("1 second", "15 minutes", "1 hour", "6 hours", "1 day", "7 days", "30 days")
  private val zones =
    Seq("UTC", "Europe/Berlin", "Asia/Kolkata", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Monrovia")
      .map(RollupDefinition.zoneOf)

  private def width(text: String): BucketWidth = BucketWidth.parse(text).fold(fail(_), identity)

  private def micros(text: String, zone: ZoneId): Long =
    LocalDateTime.parse(text).atZone(zone).toInstant.toEpochMilli * 1000

  private lazy val times: Seq[Long] = {
    val random = new Random(5)
    val years = Seq.fill(Cases.of(300))((random.nextDouble() * 4e15).toLong - 1500000000000000L)
    // the clock went forward, back, and by half an hour
    val changes = Seq(
      "2026-03-29T00:30",
      "2026-10-25T00:30",
      "2018-11-04T02:30",
      "2026-04-04T15:10"
    ).map(micros(_, ZoneOffset.UTC))
    years ++ changes.flatMap(t => (-40 to 40).map(i => t + i * 450000000L + i)) ++ Seq(0L, -1L, 1L)
  }

  test("rows and single times have the same buckets, which end where the next begin") {
    val session = spark
    import session.implicits._
    val rows = times.toDF("t").cache()
    for (zone <- zones; text <- texts) {
      val level = width(text)
      rows.select(col("t"), level.startOf(col("t"), zone)).as[(Long, Long)].collect().foreach {
        case (time, start) =>
          val clue = s"$text in $zone: $time"
          assertEquals(start, level.startOf(time, zone), clue)
          val end = level.endOf(start, zone)
          assert(start <= time && time < end, clue)
          assertEquals(level.startOf(start, zone), start, clue)
          assertEquals(level.startOf(end, zone), end, clue)
          assertEquals(level.startOf(end - 1, zone), start, clue)
      }
    }
    rows.unpersist()
  }

  test("a coarser bucket has whole finer ones") {
    for (zone <- zones; (finer, coarser) <- texts.zip(texts.drop(1)) if coarser != "30 days"; time <- times) {
      val start = width(finer).startOf(time, zone)
      assertEquals(
        width(coarser).startOf(start, zone),
        width(coarser).startOf(time, zone),
        s"$finer, $coarser, $zone, $time"
      )
    }
  }

  test("days begin at midnight of the zone, and weeks on Monday") {
    val berlin = ZoneId.of("Europe/Berlin")
    val time = micros("2026-03-29T14:00:00", berlin)
    assertEquals(width("1 day").startOf(time, berlin), micros("2026-03-29T00:00:00", berlin))
    assertEquals(
      width("1 day").endOf(micros("2026-03-29T00:00:00", berlin), berlin),
      micros("2026-03-30T00:00:00", berlin)
    )
    assertEquals(width("7 days").startOf(time, berlin), micros("2026-03-23T00:00:00", berlin))
  }

  test("widths that are refused") {
    Seq("", "hour", "1 month", "0 hours", "-1 hours", "5 hours", "36 hours", "999999999999 days").foreach(
      text =>
        assert(BucketWidth.parse(text).isLeft, text)
    )
    assertEquals(width(" 1  HOUR ").level, "1 hour")
  }
}
