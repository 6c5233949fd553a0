package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary.{Envelope, Summary}

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
