package chronosketch.bench.windows

import java.util.{Arrays, SplittableRandom}

import chronosketch.bench.CpuTime
import chronosketch.domain.Domain
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Envelope
import chronosketch.window.{Constraint, RestrictedWindow, WindowSketch, Windowed}

/** Measures the error, size and speed of windows from one stored sketch, compared with the paper's nested sketches on the same rows.
  *
  * The paper's stream (§5, Table 1) has 400 uniform rows per second for 900 s, which is 360 000 rows; windows of 300 s and 600 s, quantiles
  * at 1/64 … 63/64. Prints a line of JSON for each result.
  */
object Windows {
  private val RowsASecond = 400
  private val Rows = 900 * RowsASecond
  private val Spans = Seq(300L, 600L)
  private val Phis = (1 to 63).map(i => Phi(i / 64.0))

  // the rows of a second are equally spaced
  private def time(i: Int): Long = i * (1000000L / RowsASecond)

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments.headOption.fold(3)(_.toInt)
    val random = new SplittableRandom(1)
    val keys = Array.fill(Rows)(random.nextLong())
    for (round <- 1 to rounds; epsilon <- Seq(0.1, 0.05, 0.02, 0.01)) {
      ours(keys, epsilon, round)
      // a row is inserted into every nested sketch, so one round is enough if there are thousands
      if (round == 1 || epsilon >= 0.05) nested(keys, epsilon, round)
    }
    for (epsilon <- Seq(0.05, 0.02, 0.01); parts <- Seq(64, 1000)) merged(keys, epsilon, parts)
  }

  private def sketch(epsilon: Double): WindowSketch =
    new WindowSketch(Domain.BigInt, Domain.Timestamp, epsilon, Windowed.KeepAll, Vector.empty)

  private def window(s: WindowSketch, seconds: Long): RankProfile =
    RestrictedWindow.of(s, Constraint.WithinLast(seconds * 1000000L), None).profile

  private def ours(keys: Array[Long], epsilon: Double, round: Int): Unit = {
    val s = sketch(epsilon)
    val rate = perSecond {
      var i = 0
      while (i < Rows) { s.insert(keys(i), time(i), 0); i += 1 }
      s.count
    }
    val errors = Spans.flatMap(t => measured(keys, t, window(s, t)))
    say("disjoint", epsilon, round, rate, errors, s.buckets, s.tuples, Envelope.seal(s).length.toLong)
  }

  private def nested(keys: Array[Long], epsilon: Double, round: Int): Unit = {
    val s = new NestedWindows(epsilon)
    val rate = perSecond {
      var i = 0
      while (i < Rows) { s.insert(keys(i), time(i)); i += 1 }
    }
    val newest = time(Rows - 1)
    val errors = Spans.flatMap(t => measured(keys, t, s.since(newest - t * 1000000L)))
    say("nested", epsilon, round, rate, errors, s.buckets, s.tuples, s.storedBytes)
  }

  private def merged(keys: Array[Long], epsilon: Double, parts: Int): Unit = {
    val sketches = Array.fill(parts)(sketch(epsilon))
    keys.indices.foreach(i => sketches(Math.floorMod(keys(i), parts)).insert(keys(i), time(i), 0))
    var all: WindowSketch = null
    val rate = perSecond {
      all = sketches.reduceLeft { (into, part) => into.merge(part); into }
      all.count
    }
    val errors = Spans.flatMap(t => measured(keys, t, window(all, t)))
    say(s"$parts parts", epsilon, 1, rate, errors, all.buckets, all.tuples, Envelope.seal(all).length.toLong)
  }

  private def perSecond(body: => Any): Double = {
    val start = CpuTime.nanoseconds
    body
    Rows / ((CpuTime.nanoseconds - start) / 1e9)
  }

  /** The rank errors, relative to the rows in the window. */
  private def measured(keys: Array[Long], seconds: Long, profile: RankProfile): Seq[Double] = {
    val n = (seconds * RowsASecond).toInt
    val seen = Arrays.copyOfRange(keys, Rows - n, Rows)
    Arrays.sort(seen)
    Phis.map { phi =>
      val at = Arrays.binarySearch(seen, profile.quantile(phi))
      val rank = if (at >= 0) at + 1 else -at - 1
      math.abs(rank - phi.rank(n.toLong)).toDouble / n
    }
  }

  private def say(
      what: String,
      epsilon: Double,
      round: Int,
      rate: Double,
      errors: Seq[Double],
      buckets: Int,
      tuples: Long,
      bytes: Long
  ): Unit =
    println(
      f"""{"what": "$what", "epsilon": $epsilon, "round": $round, "rows_a_second": $rate%.0f, """ +
        f""""greatest_error": ${errors.max}%.5f, "mean_error": ${errors.sum / errors.size}%.5f, """ +
        s""""buckets": $buckets, "tuples": $tuples, "bytes": $bytes}"""
    )
}
