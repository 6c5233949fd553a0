package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.apache.datasketches.kll.KllDoublesSketch
import org.apache.datasketches.memory.Memory
import org.openjdk.jmh.annotations._

import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.summary.{Envelope, Summary}

/** Merges stored sketches as `sketch_merge_agg` does: each is decoded and merged into the union. */
object Merging {
  val Parts = 1000
  val ValuesAPart = 10000

  def valuesAPart(shape: String): Int = if (shape == "small") 2000 else ValuesAPart

  def stored(values: Array[Double], valuesAPart: Int = ValuesAPart)(
      seal: (Int, Int) => Array[Byte]
  ): Array[Array[Byte]] =
    Array.tabulate(values.length / valuesAPart)(i => seal(i * valuesAPart, (i + 1) * valuesAPart))

  /** The union, without pending values. */
  def ours(parts: Array[Array[Byte]], shape: String): GreenwaldKhanna = {
    val whole =
      if (shape == "small") fromBytes(parts)
      else fold[GreenwaldKhanna](parts, shape, decodeOurs, (a, b) => { a.merge(b); a })
    whole.tuples
    whole
  }

  private def fromBytes(parts: Array[Array[Byte]]): GreenwaldKhanna = {
    val all = new GroupedUnions(new Meter)
    parts.foreach(all.merge(0, _))
    QuantileSketch.own(all.summary(0))
  }

  def kll(parts: Array[Array[Byte]], shape: String): KllDoublesSketch =
    fold[KllDoublesSketch](parts, shape, decodeKll, (a, b) => { a.merge(b); a })

  def decodeOurs(bytes: Array[Byte]): GreenwaldKhanna = QuantileSketch.own(Families.open(bytes))

  def decodeKll(bytes: Array[Byte]): KllDoublesSketch = KllDoublesSketch.heapify(Memory.wrap(bytes))

  private def fold[S](
      parts: Array[Array[Byte]],
      shape: String,
      decode: Array[Byte] => S,
      merge: (S, S) => S
  ): S = {
    def balanced(from: Int, until: Int): S =
      if (until - from == 1) decode(parts(from))
      else {
        val middle = (from + until) >>> 1
        merge(balanced(from, middle), balanced(middle, until))
      }
    shape match {
      case "chain" | "small" =>
        parts.tail.foldLeft(decode(parts.head))((all, part) => merge(all, decode(part)))
      case "balanced" => balanced(0, parts.length)
    }
  }
}

/** Measures the time to merge a thousand stored sketches of 10 000 values each, at equal rank error, or five thousand exact sketches of
  * 2 000 values each.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class MergeBenchmark {
  @Param(Array("balanced", "chain", "small"))
  var shape: String = ""

  @Param(Array("gk 1e-3", "kll 2862"))
  var sketch: String = ""

  private var parts: Array[Array[Byte]] = Array.empty

  @Setup
  def prepare(): Unit = {
    val values = Inputs("lognormal", Merging.Parts * Merging.ValuesAPart)
    parts = Merging.stored(values, Merging.valuesAPart(shape)) { (from, until) =>
      if (Sketches.isOurs(sketch)) Envelope.seal(Sketches.ours(values, from, until, Sketches.epsilon(sketch)))
      else Sketches.kll(values, from, until, Sketches.k(sketch)).toByteArray
    }
  }

  @Benchmark
  def merge(): AnyRef = if (Sketches.isOurs(sketch)) Merging.ours(parts, shape) else Merging.kll(parts, shape)
}

/** Measures the time to merge stored sketches by group: ten thousand sketches of 100 to 2 000 tuples in one group, or two sketches of
  * twenty values in each of 200 000 groups.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class StoredMergeBenchmark {
  @Param(Array("1", "200000"))
  var groups: Int = 0

  @Param(Array("bytes", "objects"))
  var how: String = ""

  private var parts: Array[Array[Byte]] = Array.empty

  @Setup
  def prepare(): Unit = {
    val random = new SplittableRandom(46L)
    parts = Array.fill(if (groups == 1) 10000 else 2 * groups) {
      val sketch = new GreenwaldKhanna(Domain.BigInt, 1e-3)
      // uniform exponents: as many sketches of hundreds of values as of ten thousands
      val values = if (groups == 1) (100 * math.pow(200, random.nextDouble())).toInt else 20
      var i = 0
      while (i < values) { sketch.insert(random.nextLong(1L << 40)); i += 1 }
      Envelope.seal(sketch)
    }
  }

  @Benchmark
  def merge(): AnyRef = if (how == "bytes") bytes() else objects()

  private def bytes(): GroupedUnions = {
    val all = new GroupedUnions(new Meter)
    var i = 0
    while (i < parts.length) { all.merge(i % groups, parts(i)); i += 1 }
    all
  }

  private def objects(): Array[Summary] = {
    val all = new Array[Summary](groups)
    var i = 0
    while (i < parts.length) {
      val part = Families.open(parts(i))
      if (i < groups) all(i) = part else all(i % groups).merge(part)
      i += 1
    }
    all
  }
}

/** Measures the size of unions of unions, level by level, compared with KLL at equal rank error. Prints a table.
  *
  * The parts of a level are drawn from sixty different sketches, so that a million sketches of the first level are not needed.
  */
object MergedLevels {
  private val Epsilon = 1e-3
  private val Different = 60

  private final case class Both(ours: Array[Byte], kll: Array[Byte])

  def main(arguments: Array[String]): Unit = {
    println(
      "| rows a part | level | bytes | KLL's | share | tuples × ε | certified error / ε |\n|---|---|---|---|---|---|---|"
    )
    Seq(2000, 10000, 200000).foreach(rows => levels(rows, Seq(30, 12, 10, 10, 10, 10)))
    levels(10000, Seq.fill(10)(2))
  }

  private def levels(rows: Int, fans: Seq[Int]): Unit = {
    var level = Seq.tabulate(Different) { i =>
      val values = Inputs.lognormal(rows, i.toLong)
      Both(
        Envelope.seal(Sketches.ours(values, 0, rows, Epsilon)),
        Sketches.kll(values, 0, rows, 2862).toByteArray
      )
    }
    fans.zipWithIndex.foreach { case (fan, l) =>
      level = Seq.tabulate(Different) { i =>
        val parts = Array.tabulate(fan)(j => level((i * 7 + j * 11) % Different))
        // one KLL sketch per level is enough: the others have the same size
        val kll = if (i == 0) Merging.kll(parts.map(_.kll), "chain").toByteArray else parts.head.kll
        Both(Envelope.seal(Merging.ours(parts.map(_.ours), "chain")), kll)
      }
      show(rows, s"${l + 1}, of $fan", level.head)
    }
  }

  private def show(rows: Int, level: String, both: Both): Unit = {
    val (ours, kll) = (both.ours.length, both.kll.length)
    val sketch = QuantileSketch.own(Families.open(both.ours))
    val tuples = sketch.tuples * Epsilon
    val error = sketch.profile.rankError / Epsilon
    println(f"| $rows | $level | $ours | $kll | ${ours.toDouble / kll}%.2f | $tuples%.2f | $error%.2f |")
  }
}
