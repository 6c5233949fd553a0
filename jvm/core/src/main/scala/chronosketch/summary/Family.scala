package chronosketch.summary

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.ddsketch.DDSketches
import chronosketch.domain.Domain
import chronosketch.qlove.{Panes, QloveSketches}
import chronosketch.quantile.QuantileSketch
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.window.{RestrictedWindows, WindowSketches}

/** A kind of summary, as the rest of the library sees it: the generic aggregate, `sketch_merge`, the laws and the golden
  * tests run over [[Family.all]].
  */
abstract class Family extends Serializable {

  /** Stands in stored bytes and never changes. */
  def id: Int

  /** What SQL and messages call it. */
  def name: String

  def parameters: Seq[Parameter]

  /** A summary of nothing. `parameters` in the order of [[parameters]], each allowed by it. */
  def empty(domain: Domain, parameters: Array[Double]): Summary

  /** Whether values can be put in; where not, its summaries are made of others, and whoever inserts is refused. */
  def takesValues: Boolean = true

  /** Whether values can be of this type. */
  def takes(domain: Domain): Boolean = true

  /** What [[Summary.write]] wrote; a refusal where the bytes can't be that. */
  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): Summary

  /** How many keys at most may wait in a bag, in order of arrival, until [[ofBag]] makes a summary of them: as many as leave
    * it no different from one that had each as it came.
    */
  def mostInBag(parameters: Array[Double]): Int = Int.MaxValue

  /** Whether so many copies of a key are the same to a summary as the key so many times. */
  def insertsSingly(copies: Long): Boolean = copies == 1

  /** A summary of n keys in order of arrival, of which the first `settled` had been asked about or stored before the others
    * came. The array may be used for work.
    */
  def ofBag(domain: Domain, parameters: Array[Double], keys: Array[Long], settled: Int, n: Int): Summary = {
    val summary = empty(domain, parameters)
    var i = 0
    while (i < n) { summary.insert(keys(i)); i += 1 }
    summary
  }

  /** A summary of keys whose order and numbers are known. */
  def ofCounts(domain: Domain, parameters: Array[Double], counted: CountedKeys): Summary = {
    val summary = empty(domain, parameters)
    val keys, copies = new Array[Long](counted.distinct)
    counted.copyTo(keys, copies)
    var i = 0
    while (i < keys.length) { summary.insert(keys(i), copies(i)); i += 1 }
    summary
  }

  /** The keys of a stored summary where they fit, and either, `alone`, the summary is a settled bag of them, or merging it into
    * another is inserting them in this order; their number, or −1. Refuses what [[read]] refuses, but where it gives −1.
    */
  def readSmall(
      reader: Wire.Reader,
      domain: Domain,
      parameters: Array[Double],
      alone: Boolean,
      into: Array[Long]
  ): Int = -1

  /** The bytes of a summary of n keys in order of arrival. The array may be used for work. */
  def sealSmall(domain: Domain, parameters: Array[Double], keys: Array[Long], n: Int): Array[Byte] =
    Envelope.seal(ofBag(domain, parameters, keys, 0, n))

  override def toString: String = name
}

object Family {
  val all: Seq[Family] =
    Seq(QuantileSketch, WindowSketches, RestrictedWindows, Panes, QloveSketches, DDSketches)

  def byId(id: Int): Option[Family] = all.find(_.id == id)
}

/** A tuning parameter: its name in SQL, its default and the closed range it can have. */
final case class Parameter(name: String, default: Double, least: Double, greatest: Double) {
  def allows(value: Double): Boolean = value >= least && value <= greatest
  def range: String = s"[${Parameter.text(least)}, ${Parameter.text(greatest)}]"
}

object Parameter {
  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}

/** The state that summarises one bag of keys. Not thread-safe. */
trait Summary {
  def family: Family
  def domain: Domain

  /** As the family lists them; after a merge, what still holds. */
  def parameters: Array[Double]

  /** Elements seen, exactly. */
  def count: Long

  def insert(key: Long): Unit

  /** The keys from `from` until `until`, in this order. */
  def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) { insert(keys(i)); i += 1 }
  }

  /** `copies` ≥ 0 elements of one key. */
  def insert(key: Long, copies: Long): Unit

  /** The union with another of the same family, into this one; `that` still summarises what it did. Value types must
    * widen, and this one's becomes the wider.
    */
  def merge(that: Summary): Unit

  /** The union with a stored one of the same family: all that [[Family.read]] refuses is refused, and bytes that follow, before
    * anything changes.
    */
  def mergeStored(reader: Wire.Reader, storedDomain: Domain, storedParameters: Array[Double]): Unit = {
    val that = family.read(reader, storedDomain, storedParameters)
    reader.requireEnd()
    merge(that)
  }

  /** One that has seen nothing and can be merged with what this one can. */
  def fresh: Summary = family.empty(domain, parameters)

  /** From now on the memory that it holds counts on `owner`, and no longer on who it was before; null: on nobody. */
  def meteredBy(owner: Meter): Unit = ()

  def write(writer: Wire.Writer): Unit

  /** For the messages of questions and merges. */
  final protected def requireSameFamily(that: Summary): Unit =
    if (that.family ne family) {
      throw Refusal("CHRONOSKETCH_FAMILIES_DIFFER", "left" -> family.name, "right" -> that.family.name)
    }
}

/** A summary that is certain between which ranks a value is, and between which values a quantile. */
trait Bounded { self: Summary =>
  def profile: RankProfile
}

/** A summary that promises how many ranks an answer is off at most. */
trait Ranked extends Bounded { self: Summary =>

  /** What the profile answers; of a summary that has seen something. */
  def quantile(phi: Phi): Long = profile.quantile(phi)
}

/** A summary of values that came at some time. */
trait Timed { self: Summary =>

  /** `time` in the units of the summary's own times; bit i of `passed` says whether the row passed its i-th filter. */
  def insert(key: Long, time: Long, passed: Int): Unit
}
