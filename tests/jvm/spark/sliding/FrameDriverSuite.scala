package chronosketch.spark.sliding

import java.util.Arrays

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import munit.ScalaCheckSuite

/** Beside the definition of a frame, whatever the pieces in which rows come. */
class FrameDriverSuite extends ScalaCheckSuite {
  private val End: Gen[FrameBound] = Gen.frequency(
    1 -> Gen.const(PartitionEnd),
    1 -> Gen.const(Peers),
    3 -> Gen.choose(-4, 4).map(RowsAway(_))
  )

  // groups of sorted keys; none stands for NULL, which comes first
  private val groups: Gen[List[List[Option[Long]]]] =
    Gen.choose(0, 6).flatMap(n =>
      Gen.listOfN(n, Gen.choose(1, 12).flatMap(m => Gen.listOfN(m, Gen.option(Gen.choose(0L, 5L)))))
    )
      .map(_.map(_.sorted))

  private def first(bound: FrameBound, group: Seq[Option[Long]], i: Int): Int = bound match {
    case RowsAway(k) => i + k
    case Peers => group.indexOf(group(i))
    case _ => 0
  }

  private def end(bound: FrameBound, group: Seq[Option[Long]], i: Int): Int = bound match {
    case RowsAway(k) => i + k + 1
    case Peers => group.lastIndexOf(group(i)) + 1
    case _ => group.size
  }

  property("frames of rows and of peers") {
    forAll(groups, End, End, Gen.choose(1, 9)) { (groups, lower, upper, piece) =>
      val isFrame = (lower, upper) match {
        case (RowsAway(a), RowsAway(b)) => a <= b
        case (Peers, RowsAway(_)) | (RowsAway(_), Peers) => false
        case _ => true
      }
      if (isFrame) {
        val rows = groups.flatten
        val ends = groups.scanLeft(0)(_ + _.size).tail.toArray
        val order = rows.map(_.getOrElse(0L)).toArray
        val flags = rows.map(key => if (key.isEmpty) 1L else 0L).toArray
        val driver = new FrameDriver(FrameBounds(lower, upper), nullsFirst = true)
        driver.resize(rows.size)
        var filled = 0
        while (filled < rows.size) {
          val next = math.min(filled + piece, rows.size)
          val complete = ends.filter(e => e > filled && e <= next)
          driver.run(order, flags, Arrays.copyOf(complete, 20), 0, complete.length, next)
          filled = next
        }
        assertEquals(driver.settled, rows.size)
        var start = 0
        groups.foreach { group =>
          group.indices.foreach { i =>
            val until = math.max(0, math.min(end(upper, group, i), group.size))
            val from = math.max(0, math.min(first(lower, group, i), until))
            assertEquals(
              (driver.from(start + i) - start, driver.until(start + i) - start),
              (from, until),
              s"$group, row $i"
            )
          }
          start += group.size
        }
      }
    }
  }
}
