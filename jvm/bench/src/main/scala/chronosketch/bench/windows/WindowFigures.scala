package chronosketch.bench.windows

import java.util.{Arrays, SplittableRandom}

import chronosketch.domain.Domain
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.window.{Constraint, RestrictedWindow, WindowSketch, Windowed}

/** Reproduces the figures of the paper on windows that end at the newest row (Xu, Lin, Zhou 2004, §5). Prints a line of JSON for each
  * point.
  *
  * The paper's stream has 400 uniform rows per second for 900 s; ε = 0.05 unless stated otherwise. `ours` is a window sketch, `nested` the
  * paper's algorithm. The paper's real data (hashed words of news) is not available; hashed words by Zipf's law replace it.
  */
object WindowFigures {
  private val RowsASecond = 400
  private val Epsilon = 0.05

  private def time(i: Int): Long = i * (1000000L / RowsASecond)

  /** Whether row i passes the filter: 60 % of the rows do, independently of everything else. */
  private def passes(i: Int): Boolean = Math.floorMod(mixed(i.toLong), 10L) < 6

  private def mixed(i: Long): Long = {
    val z = (i + 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L
    z ^ (z >>> 29)
  }

  def main(arguments: Array[String]): Unit = {
    figure5()
    figure6()
    figure7()
    figure8()
  }

  private val data: Map[String, Int => Array[Long]] = Map(
    "uniform" -> { n =>
      val random = new SplittableRandom(1)
      Array.fill(n)(random.nextLong() >>> 20)
    },
    "normal" -> { n =>
      val random = new java.util.Random(2)
      Array.fill(n)((random.nextGaussian() * 1e9).toLong)
    },
    // blocks are in order, the values inside a block are not
    "semisort" -> { n =>
      val random = new SplittableRandom(3)
      Array.tabulate(n)(i => i % 1000 + mixed((i / 1000).toLong).abs % 360 * 1000 + random.nextInt(10))
    },
    "words" -> { n =>
      val random = new SplittableRandom(4)
      Array.fill(n)(mixed(math.exp(random.nextDouble() * math.log(50000.0)).toLong))
    }
  )

  private def ours(keys: Array[Long], epsilon: Double, retention: Long): WindowSketch = {
    val s = new WindowSketch(Domain.BigInt, Domain.Timestamp, epsilon, retention, Vector("kept"))
    var i = 0
    while (i < keys.length) { s.insert(keys(i), time(i), if (passes(i)) 1 else 0); i += 1 }
    s
  }

  private def nested(keys: Array[Long], epsilon: Double): NestedWindows = {
    val s = new NestedWindows(epsilon)
    var i = 0
    while (i < keys.length) { s.insert(keys(i), time(i)); i += 1 }
    s
  }

  private def restricted(s: WindowSketch, constraint: Constraint): RankProfile =
    RestrictedWindow.of(s, constraint, None).profile

  /** The rank errors at i/q, relative to the window's rows. */
  private def errors(
      figure: String,
      what: String,
      side: String,
      in: Array[Long],
      profile: RankProfile,
      q: Int
  ): Unit = {
    val sorted = in.clone()
    Arrays.sort(sorted)
    val n = sorted.length
    (1 until q).foreach { i =>
      val key = profile.quantile(Phi(i.toDouble / q))
      val at = Phi(i.toDouble / q).rank(n.toLong)
      val below = sorted.count(_ < key).toLong
      val atMost = sorted.count(_ <= key).toLong
      val off = math.max(0L, math.max(below + 1 - at, at - atMost)).toDouble / n
      println(
        f"""{"figure": "$figure", "what": "$what", "side": "$side", "phi": ${i.toDouble / q}%.5f, "error": $off%.6f, """ +
          f""""certified": ${profile.rankError}%.6f}"""
      )
    }
  }

  private def last(keys: Array[Long], seconds: Int): Array[Long] =
    Arrays.copyOfRange(keys, keys.length - seconds * RowsASecond, keys.length)

  private def bySpan(figure: String, what: String, keys: Array[Long], seconds: Int, q: Int): Unit = {
    val seen = last(keys, seconds)
    val window = Constraint.WithinLast(seconds * 1000000L)
    errors(figure, what, "ours", seen, restricted(ours(keys, Epsilon, Windowed.KeepAll), window), q)
    val since = time(keys.length - 1) - seconds * 1000000L
    errors(figure, what, "nested", seen, nested(keys, Epsilon).since(since), q)
  }

  private def figure5(): Unit = {
    val uniform = data("uniform")(900 * RowsASecond)
    Seq(300, 600).foreach(seconds => bySpan("5a", s"$seconds s", uniform, seconds, 128))
    Seq("uniform", "normal", "semisort").foreach(name =>
      bySpan("5b", name, data(name)(900 * RowsASecond), 600, 64)
    )
  }

  /** The number of tuples held, after every 36th of the stream. */
  private def space(figure: String, what: String, epsilon: Double, longest: Int): Unit = {
    val keys = data("uniform")(longest * 3 / 2 * RowsASecond)
    val s = new WindowSketch(Domain.BigInt, Domain.Timestamp, epsilon, longest * 1000000L, Vector.empty)
    val n = new NestedWindows(epsilon)
    var held = Vector.empty[(Long, Long)]
    keys.indices.foreach { i =>
      s.insert(keys(i), time(i), 0)
      n.insert(keys(i), time(i))
      if ((i + 1) % (keys.length / 36) == 0) held :+= ((s.tuples, n.tuples))
    }
    def say(side: String, tuples: Vector[Long]): Unit = println(
      s"""{"figure": "$figure", "what": "$what", "side": "$side", "greatest": ${tuples.max}, "mean": ${tuples.sum / tuples.size}}"""
    )
    say("ours", held.map(_._1))
    say("nested", held.map(_._2))
  }

  private def figure6(): Unit = {
    Seq(200, 400, 800).foreach(longest => space("6a", s"$longest s", Epsilon, longest))
    Seq(0.1, 0.05, 0.02).foreach(epsilon => space("6b", epsilon.toString, epsilon, 600))
  }

  /** The mean time of an insertion, over 900 insertions at a time, in a second pass: the first warms up the JIT compiler. */
  private def figure7(): Unit = {
    val keys = data("uniform")(900 * RowsASecond)
    Seq(false, true).foreach { counts =>
      val s = new WindowSketch(Domain.BigInt, Domain.Timestamp, Epsilon, Windowed.KeepAll, Vector.empty)
      val n = new NestedWindows(Epsilon)
      timed(keys, counts, "ours")(i => s.insert(keys(i), time(i), 0))
      timed(keys, counts, "nested")(i => n.insert(keys(i), time(i)))
    }
  }

  private def timed(keys: Array[Long], counts: Boolean, side: String)(insert: Int => Unit): Unit = {
    val batch = 900
    (0 until keys.length / batch).foreach { b =>
      val start = System.nanoTime()
      var i = b * batch
      while (i < (b + 1) * batch) { insert(i); i += 1 }
      val nanos = (System.nanoTime() - start).toDouble / batch
      if (counts)
        println(f"""{"figure": "7a", "what": "${b * batch}", "side": "$side", "nanoseconds": $nanos%.1f}""")
    }
  }

  private def figure8(): Unit = {
    val words = data("words")(900 * RowsASecond)
    Seq(300, 600).foreach(seconds => bySpan("8a", s"$seconds s", words, seconds, 64))
    val s = ours(words, Epsilon, Windowed.KeepAll)
    Seq(100000, 200000).foreach { rows =>
      val kept = (words.length - rows until words.length).filter(passes).map(words(_)).toArray
      val window = Constraint.And(Constraint.AmongLast(rows.toLong), Constraint.Passes(0))
      errors("8b", s"$rows rows, 60 % kept", "ours", kept, restricted(s, window), 64)
    }
  }
}
