package chronosketch.spark.sliding.structures

import chronosketch.spark.sliding.frames.{FrameColumns, FrameDriver}

/** Runs one structure in a task and keeps its answers for the current segment. */
final class SlidingStructure(structure: Structure, driver: FrameDriver, columns: FrameColumns) {
  private val present = new PresentElements(structure.elements)

  val answers = new StructureAnswers(structure, structure.kind.slider(structure, columns.bytes))

  /** Answers the n rows from `segment` on. Their frames must be in memory. */
  def slide(segment: Long, rows: Int): Unit = {
    answers.begin(rows, isBounded = false)
    val (from, until) = (answers.from, answers.until)
    val first = columns.first
    var i = 0
    while (i < rows) {
      from(i) = (driver.from(segment + i) - first).toInt
      until(i) = (driver.until(segment + i) - first).toInt
      i += 1
    }
    answers.slide(present.of(columns, answers, rows), rows)
  }

  /** How many of the n rows from `segment` on come before the first row whose frame is too large for an exact answer. */
  def exactRows(segment: Long, rows: Int): Int = structure.beyond.fold(rows) { beyond =>
    var i = 0
    while (i < rows && driver.until(segment + i) - driver.from(segment + i) <= beyond.exactRows) i += 1
    i
  }
}
