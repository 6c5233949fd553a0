package chronosketch.spark.aggregate

import org.apache.spark.sql.types.DataType

import chronosketch.grouped.{GroupedInserts, GroupedRows, GroupedSummaries, GroupedTimed, GroupedUnions}
import chronosketch.memory.Meter
import chronosketch.spark.sql.KeyCodec
import chronosketch.summary.{Inserts, InsertingRecipe, InsertsPairs, Recipe, Summary, Timed, TimedRows}

/** The kind of input that a [[SketchColumn]] adds to its summaries: rows ([[RowInput]]), or [[StoredSketches]]. */
sealed abstract class InputKind extends Serializable {

  /** Makes the summaries; None if only the first stored sketch tells their kind. */
  def recipeIfKnown: Option[Recipe[Summary]]

  /** Empty summaries of the groups of one task. */
  def newSummaries(partition: Int, meter: Meter): GroupedSummaries[_ <: Summary]

  /** The class of a single summary. Generated code calls it by this class, so that the JIT can inline the calls. */
  final def summaryClass: Option[Class[_]] = recipeIfKnown.map(_.family.summaryClass)

  /** The word before the second expression of a column, for EXPLAIN. */
  def secondWord: String = "AT"

  /** Whether rows of a value, or of a value and a time, can be buffered and inserted many at once. */
  def isBatchable: Boolean = false

  /** The reader of a column's rows; None for stored sketches. */
  def reader(column: SketchColumn): Option[RowReader]
}

/** Java expressions for what generated code has read from a row, and the variables into which it is inserted.
  *
  * @param summaries the variable of the summaries of all groups
  * @param single    the variable of the only summary, if there is a single group
  * @param second    the key of the time, or of the second side of a pair
  * @param passed    one bit for each condition
  */
private[spark] final case class RowCode(
    summaries: String,
    single: Option[String],
    group: String,
    key: String,
    second: Option[String],
    passed: String,
    id: Option[String],
    copies: Option[String]
)

/** Rows that each add a value to a summary. A subclass says twice how a row is inserted: for generated code, and for rows that do not
  * go through it.
  */
sealed abstract class RowInput extends InputKind {
  def recipe: Recipe[Summary]

  /** The type of the values. */
  def dataType: DataType

  @transient final lazy val codec: KeyCodec = KeyCodec.of(dataType).get

  /** The class of what [[newSummaries]] returns, for generated code. */
  def summariesClass: Class[_ <: GroupedSummaries[_]]

  final def recipeIfKnown: Option[Recipe[Summary]] = Some(recipe)
  final def reader(column: SketchColumn): Option[RowReader] = Some(new RowReader(column, this))
  override def toString: String = recipe.toString

  /** Inserts the row that a reader has read into a summary that [[recipe]] has made. */
  def insert(summary: Summary, row: RowReader): Unit

  /** Inserts it into the summary of a group, among those that [[newSummaries]] has made. */
  def insert(summaries: GroupedSummaries[_ <: Summary], group: Int, row: RowReader): Unit =
    insert(summaries.summary(group), row)

  /** Java code that inserts a row. */
  final def insertCode(row: RowCode): String = {
    def cast = s"((${recipe.family.summaryClass.getName}) ${row.summaries}.summary(${row.group}))"
    insertCode(row, row.single.getOrElse(cast))
  }

  protected def insertCode(row: RowCode, summary: => String): String
}

/** Values, each of which may count several times. */
final case class Values(recipe: InsertingRecipe[Inserts], dataType: DataType) extends RowInput {
  def newSummaries(partition: Int, meter: Meter): GroupedInserts =
    new GroupedInserts(recipe.inPart(partition), meter)
  def summariesClass: Class[GroupedInserts] = classOf[GroupedInserts]
  override def isBatchable: Boolean = true

  def insert(summary: Summary, row: RowReader): Unit = {
    val inserts = summary.asInstanceOf[Inserts]
    if (row.isWeighted) inserts.insert(row.key, SketchColumn.natural(row.copies)) else inserts.insert(row.key)
  }

  // a group of few values has no summary of its own
  override def insert(summaries: GroupedSummaries[_ <: Summary], group: Int, row: RowReader): Unit = {
    val inserts = summaries.asInstanceOf[GroupedInserts]
    if (row.isWeighted) inserts.insert(group, row.key, SketchColumn.natural(row.copies))
    else inserts.insert(group, row.key)
  }

  protected def insertCode(row: RowCode, summary: => String): String = row.copies match {
    case Some(copies) =>
      s"${row.summaries}.insert(${row.group}, ${row.key}, ${classOf[SketchColumn].getName}.natural($copies));"
    case None if row.single.nonEmpty => s"$summary.insert(${row.key});"
    case None => s"${row.summaries}.insert(${row.group}, ${row.key});"
  }
}

/** Values with their event times, the conditions that they pass, and ids of their rows if the summary distinguishes equal rows. */
final case class TimedValues(recipe: Recipe[Timed], dataType: DataType) extends RowInput {
  def newSummaries(partition: Int, meter: Meter): GroupedTimed =
    new GroupedTimed(recipe.inPart(partition), meter)
  def summariesClass: Class[GroupedTimed] = classOf[GroupedTimed]
  override def isBatchable: Boolean = true

  def insert(summary: Summary, row: RowReader): Unit =
    if (row.hasId) summary.asInstanceOf[TimedRows].insertRow(row.key, row.second, row.id)
    else summary.asInstanceOf[Timed].insert(row.key, row.second, row.passed)

  protected def insertCode(row: RowCode, summary: => String): String = row.id match {
    case Some(id) => s"$summary.insertRow(${row.key}, ${row.second.get}, $id);"
    case None => s"$summary.insert(${row.key}, ${row.second.get}, ${row.passed});"
  }
}

/** Pairs of a value and the value of a second column. */
final case class PairedValues(recipe: Recipe[InsertsPairs], dataType: DataType) extends RowInput {
  def newSummaries(partition: Int, meter: Meter): GroupedRows[InsertsPairs] =
    new GroupedRows(recipe.inPart(partition), meter)
  def summariesClass: Class[GroupedRows[_]] = classOf[GroupedRows[_]]
  override def secondWord: String = "WITH"

  def insert(summary: Summary, row: RowReader): Unit =
    summary.asInstanceOf[InsertsPairs].insertPair(row.key, row.second)

  protected def insertCode(row: RowCode, summary: => String): String =
    s"$summary.insertPair(${row.key}, ${row.second.get});"
}

/** Stored sketches to be merged. Each sketch's bytes name its family. */
case object StoredSketches extends InputKind {
  def recipeIfKnown: Option[Recipe[Summary]] = None
  def newSummaries(partition: Int, meter: Meter): GroupedUnions = new GroupedUnions(meter)
  def reader(column: SketchColumn): Option[RowReader] = None
  override def toString: String = "union of sketches"
}
