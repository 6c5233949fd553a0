package chronosketch.spark.sliding

/** Tests every window of [[RangedCases]], alone and with the others of its order, with every number of ranges. Run it with
  * `./sbt "spark/Test/runMain chronosketch.spark.sliding.RangesCampaign"`. The suites test some of these. Fails if an answer
  * differs from that of one task.
  */
object RangesCampaign extends RangedCases {
  def main(arguments: Array[String]): Unit = {
    view()
    groupedView()
    var queries = 0
    for (windows <- rowOrders ++ rangeOrders ++ groupKeys) {
      val together = if (windows.table == "grouped" || windows.all.size == 1) Nil else Seq(windows.all)
      val chosen = for (which <- windows.all.map(Seq(_)) ++ together; n <- rangeCounts) yield (which, n)
      assertSameInRanges(windows, chosen)
      queries += chosen.size
      println(s"${windows.name}: the same in ${chosen.size} queries")
    }
    println(s"$queries queries in ranges: the same as in one task")
    spark.stop()
  }
}
