package chronosketch

/** Tests that [[Pairs]], which decides what other suites test, omits no pair. */
class PairsSuite extends Suite {
  private val shapes =
    Seq(Seq(16, 5, 3, 2), Seq(3, 1, 4), Seq(2, 2, 2, 2, 2), Seq(7, 4, 3), Seq(1, 1), Seq(9, 9))

  for (sizes <- shapes)
    test(s"every two choices occur together: ${sizes.mkString(" × ")}") {
      val rows = Pairs.of(sizes: _*)
      for (a <- sizes.indices; b <- a + 1 until sizes.size; x <- 0 until sizes(a); y <- 0 until sizes(b))
        assert(rows.exists(row => row(a) == x && row(b) == y), s"$x of dimension $a never meets $y of $b")
      rows.foreach(row => assert(row.zip(sizes).forall { case (x, size) => 0 <= x && x < size }, row))
      // the two largest dimensions alone need as many rows as their product
      assert(rows.size <= sizes.sorted.takeRight(2).product * 3 / 2 + 2, rows.size)
    }

  test("choices keep their types and their order") {
    assertEquals(Pairs.of(Seq("a"), Seq(1, 2), Seq(true)), Seq(("a", 1, true), ("a", 2, true)))
    assertEquals(Pairs.of(Seq("a"), Seq(1), Seq(true), Seq('x')), Seq(("a", 1, true, 'x')))
  }
}
