package chronosketch.summary

import java.util.Arrays

import chronosketch.codec.Wire
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

  /** Whether merging gives the same bytes in any order. Other summaries are merged in an order that does not depend on how they arrive,
    * which takes the memory to keep them until all have arrived.
    */
  def mergesInAnyOrder: Boolean = false

  /** The name of the summaries, without parameters, for EXPLAIN. */
  protected def text: String = family.name

  final override def toString: String = without("")

  /** The text without one of the parameters. */
  final def without(parameter: String): String =
    family.parameters.zip(numbers).collect { case (p, v) if p.name != parameter => s"${p.name}=$v" }
      .mkString(s"$text(", ", ", ")")
}

/** A [[Recipe]] of summaries that draw random numbers.
  *
  * The parts that tasks of a query hand on are numbered, and the summary that unites the parts of a group draws from a random stream
  * that their numbers and rows alone decide. So the same parts give the same union in any task, and groups with equal rows are drawn
  * independently.
  */
trait RandomRecipe {

  /** The number of the next part that this task hands on. No other part has it that the same operator unites. */
  private[chronosketch] def nextPart(): Long

  /** An empty summary into which the parts of a group are merged. */
  private[chronosketch] def emptyUnion: RandomSummary

  /** Whether merging two summaries draws random numbers. Inserting rows always does. */
  private[chronosketch] def drawsInMerges: Boolean
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

/** The header of a stored summary: its family, the type of its values and its parameters, which each family has as fields of its
  * own. It decodes the payloads that follow it.
  */
trait Header[+S <: Summary] extends Serializable {
  def family: Family[S]
  def domain: Domain

  /** The stored values of the family's parameters, in their order. */
  def numbers: Seq[Double]

  /** Decodes what [[Summary.write]] wrote. Refuses bytes that cannot be a payload. */
  def read(reader: Wire.Reader): S

  /** Merges a stored summary into `summary`. Before anything changes, refuses what [[read]] and [[Summary.merge]] refuse, and bytes
    * after the payload.
    */
  def mergeInto(summary: Summary, reader: Wire.Reader): Unit = {
    val that = read(reader)
    reader.requireEnd()
    summary.merge(that)
  }

  /** Makes summaries from bags of few keys; None if even few keys need a summary. */
  def bags: Option[Bags[S]] = None

  /** The values of the parameters with their names. */
  final def named: Seq[(String, Double)] = family.parameters.map(_.name).zip(numbers)
}

/** Makes summaries from bags: small arrays of keys in order of arrival, which stand in for a summary until it is needed. */
trait Bags[+S <: Summary] extends Serializable {

  /** The most keys that a bag may hold. A summary made from a bag of this size is the same as one that got each key at once. */
  def mostInBag: Int = Int.MaxValue

  /** Makes a summary of n keys in order of arrival. It had been queried or stored when it had the first `queried` of them: a
    * summary may keep such keys in another form. The array may be overwritten.
    */
  def ofBag(keys: Array[Long], queried: Int, n: Int): S

  /** [[ofBag]] for n keys in ascending order, all of them queried. The array stays unchanged; the summary has a copy. */
  def ofOrdered(keys: Array[Long], n: Int): S = ofBag(Arrays.copyOf(keys, n), n, n)

  /** The bytes of [[ofOrdered]]. */
  def sealOrdered(keys: Array[Long], n: Int): Array[Byte] = Envelope.seal(ofOrdered(keys, n))

  /** The bytes of a summary of n keys in order of arrival. The array may be overwritten. */
  def seal(keys: Array[Long], n: Int): Array[Byte]

  /** Reads the keys of a small stored summary into an array and returns their number; −1 if they do not fit, or if keys alone
    * cannot replace the summary. If `alone`, the keys must be a queried bag that equals the summary. Otherwise, inserting them in
    * this order must equal merging the summary. Refuses what [[Header.read]] refuses, unless it returns −1.
    */
  def readSmall(reader: Wire.Reader, alone: Boolean, into: Array[Long]): Int = -1
}
