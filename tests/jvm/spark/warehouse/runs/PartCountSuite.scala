package chronosketch.spark.warehouse.runs

import chronosketch.Suite

class PartCountSuite extends Suite {
  import PartCount._

  test("as many parts as concurrent tasks if there are enough rows, and no part too large") {
    for (most <- Seq(MaxRows, MaxMerged)) {
      assertEquals(of(0, atOnce = 8, most), 1)
      assertEquals(of(1000, atOnce = 8, most), 1)
      assertEquals(of(10000000, atOnce = 2, most) % 2, 0)
      for (rows <- Seq(3L << 20, 1L << 30, 1200000000000L); atOnce <- Seq(1, 2, 512)) {
        val parts = of(rows, atOnce, most)
        assert(parts >= math.min(atOnce, rows * 16 / MaxRows), s"$rows rows, $atOnce at once: $parts")
        assert(rows <= parts * most, s"$rows rows, $atOnce at once: $parts")
      }
    }
    assertEquals(of(10000000000L, atOnce = 512), 2560)
    assertEquals(of(1200000000000L, atOnce = 512, MaxMerged), 4608)
  }
}
