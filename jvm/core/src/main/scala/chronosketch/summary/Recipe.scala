package chronosketch.summary

import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain

/** Makes empty summaries. Summaries of equal recipes can be merged. */
trait Recipe[+S <: Summary] extends Serializable {
  def family: Family[S]
  def domain: Domain

  /** The values of the family's parameters, in their order. */
  def numbers: Seq[Double]

  /** A new summary without elements. */
  def empty: S

  /** The recipe for one part of the rows, by its number. Random summaries draw from a different random stream in each part. */
  def inPart(part: Int): Recipe[S] = this

  /** The name of the summaries, without parameters, for EXPLAIN. */
  protected def text: String = family.name

  final override def toString: String = without("")

  /** The text without one of the parameters. */
  final def without(parameter: String): String =
    family.parameters.zip(numbers).collect { case (p, v) if p.name != parameter => s"${p.name}=$v" }
      .mkString(s"$text(", ", ", ")")
}

/** Makes summaries that accept values: empty ones, or ones of a bag of keys, or of keys with counts. It is the header of a stored
  * summary, too.
  */
trait InsertingRecipe[+S <: Inserts] extends Recipe[S] with Header[S] with Bags[S] {
  final override def bags: Option[Bags[S]] = Some(this)

  override def inPart(part: Int): InsertingRecipe[S] = this

  /** The most values of a group that a task passes on unsummarised: a summary of so few values is hardly smaller. */
  private[chronosketch] def mostUnsummarised: Int = 0

  /** Whether inserting n copies of a key at once has the same effect as inserting the key n times. */
  def insertsSingly(copies: Long): Boolean = copies == 1

  /** A summary of sorted keys with counts. */
  def ofCounts(counted: CountedKeys): S = {
    val summary = empty
    val keys, copies = new Array[Long](counted.distinct)
    counted.copyTo(keys, copies)
    var i = 0
    while (i < keys.length) { summary.insert(keys(i), copies(i)); i += 1 }
    summary
  }

  def ofBag(keys: Array[Long], queried: Int, n: Int): S = {
    val summary = empty
    summary.insertAll(keys, 0, n)
    summary
  }

  def seal(keys: Array[Long], n: Int): Array[Byte] = Envelope.seal(ofBag(keys, 0, n))
}
