package chronosketch.spark.warehouse.answers

import chronosketch.warehouse.RunStretch

/** Reads the rows that the searches of all groups need, pass by pass, until none needs more. A place that several searches need in a pass
  * is read once.
  */
private[answers] object Passes {

  /** Runs all searches. `text` describes their purpose in the names of Spark jobs. */
  def run(groups: Seq[Group], reader: PlaceReader, text: String): Unit = {
    val all = groups.flatMap(g => g.searches.map(g -> _))
    var open = all
    var pass = 0
    while (open.nonEmpty) {
      val active =
        open.map { case (group, search) => (group, search, search.nextReads) }.filter(_._3.nonEmpty)
      val places = active.flatMap { case (group, _, reads) => reads.map(place(group, _)) }.distinct
      pass += 1
      val keys = reader.read(
        places,
        s"$text, pass $pass: ${places.size} places for ${active.size} of ${all.size} answers"
      )
      active.foreach { case (group, search, reads) =>
        search.learn(reads.map(r => r -> keys(place(group, r))))
      }
      open = active.map { case (group, search, _) => (group, search) }
    }
  }

  private def place(group: Group, read: RunStretch): Place = {
    val (run, firstRow) = group.run(read.run)
    // ranks start at 1, rows at 0
    Place(run, firstRow + read.stretch.from - 1, firstRow + read.stretch.until - 1)
  }
}
