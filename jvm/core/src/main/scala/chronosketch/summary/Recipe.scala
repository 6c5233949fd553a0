package chronosketch.summary

import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain

/** What an empty summary is made of. Equal recipes make summaries that can be united. */
trait Recipe[+S <: Summary] extends Serializable {
  def family: Family[S]
  def domain: Domain

  /** The family's parameters, in their order. */
  def numbers: Seq[Double]

  /** A summary of nothing. */
  def empty: S

  /** What makes the summaries of one part of the rows, by its number: where chance is at work, that of each part is its own. */
  def inPart(part: Int): Recipe[S] = this

  /** What it makes, without its parameters, for EXPLAIN. */
  protected def text: String = family.name

  final override def toString: String = without("")

  /** The text without one of the parameters. */
  final def without(parameter: String): String =
    family.parameters.zip(numbers).collect { case (p, v) if p.name != parameter => s"${p.name}=$v" }
      .mkString(s"$text(", ", ", ")")
}

/** What summaries that take values are made of: of keys one by one, of a few that waited in a bag, or of keys and their counts. It
  * is what stands before a stored one, too.
  */
trait InsertingRecipe[+S <: Inserts] extends Recipe[S] with Header[S] with Bags[S] {
  final override def bags: Option[Bags[S]] = Some(this)

  override def inPart(part: Int): InsertingRecipe[S] = this

  /** How many values of a group a part of a query hands on as they came, at most: a summary of so few is hardly smaller. */
  private[chronosketch] def mostHanded: Int = 0

  /** Whether so many copies of a key are the same to a summary as the key so many times. */
  def insertsSingly(copies: Long): Boolean = copies == 1

  /** A summary of keys whose order and numbers are known. */
  def ofCounts(counted: CountedKeys): S = {
    val summary = empty
    val keys, copies = new Array[Long](counted.distinct)
    counted.copyTo(keys, copies)
    var i = 0
    while (i < keys.length) { summary.insert(keys(i), copies(i)); i += 1 }
    summary
  }

  def ofBag(keys: Array[Long], settled: Int, n: Int): S = {
    val summary = empty
    summary.insertAll(keys, 0, n)
    summary
  }

  def seal(keys: Array[Long], n: Int): Array[Byte] = Envelope.seal(ofBag(keys, 0, n))
}
