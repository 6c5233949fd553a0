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
      val asked = open.map { case (group, search) => (group, search, search.nextReads) }.filter(_._3.nonEmpty)
      val places = asked.flatMap { case (group, _, some) => some.map(place(group, _)) }.distinct
      pass += 1
      val keys = reader.read(
        places,
        s"$text, pass $pass: ${places.size} places for ${asked.size} of ${all.size} answers"
      )
      asked.foreach { case (group, search, some) => search.learn(some.map(a => a -> keys(place(group, a)))) }
      open = asked.map { case (group, search, _) => (group, search) }
    }
  }

  private def place(group: Group, asked: RunStretch): Place = {
    val (run, firstRow) = group.run(asked.run)
    // ranks start at 1, rows at 0
    Place(run, firstRow + asked.stretch.from - 1, firstRow + asked.stretch.until - 1)
  }
}
