package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.rank.Phi

/** The paper's experiments on any past version (Tao, Yi, Sheng, Pei, Li 2010, §4), remade, its alternative beside: lines of JSON.
  * Arguments: which of the parts `check`, `sweep`, `budgets`, `ports` and `merged`, and how many rounds are timed.
  */
object HistoryFigures {
  private val Epsilons = Seq(0.1, 0.05, 0.025, 0.0125, 0.00625)

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(1).toInt
    arguments(0) match {
      case "check" => check()
      case "sweep" =>
        Seq(1, 2, 4).foreach(ratio => sweep(s"ratio $ratio", new PaperChanges(ratio, 1), Epsilons, rounds))
        Seq(8, 16).foreach(ratio => sweep(s"ratio $ratio", new PaperChanges(ratio, 1), Seq(0.025), rounds))
        sweep("drifting", new PaperChanges(1, 1, drifting = true), Epsilons, rounds)
      case "budgets" =>
        val one = new PaperChanges(1, 1)
        Seq(80, 160, 320, 640, 1280).foreach(kb => budget("ratio 1", one, kb, withVersions = kb == 80))
        Seq(2, 4, 8, 16).foreach(r => budget(s"ratio $r", new PaperChanges(r, 1), 320, withVersions = false))
      case "ports" =>
        val ports = new PortChanges(1)
        sweep("ports", ports, Epsilons, rounds)
        Seq(250, 500, 1000, 2000, 4000).foreach(kb => budget("ports", ports, kb, kb == 250 || kb == 4000))
      case "merged" => HistorySizes.all()
    }
  }

  /** Small random histories, at each of their versions: with equal values, and as few as the other keeps all of. */
  private def check(): Unit = for (epsilon <- Seq(0.1, 0.02); name <- Side.Names) {
    var answers, violations = 0L
    val histories = 20
    (1 to histories).foreach { seed =>
      val later = 1500
      val data = new PaperChanges(seed % 3 + 1, seed.toLong, seed % 2 == 0, 30, later, 1L << (4 + seed % 12))
      val asked = new Asked(Side.of(name, data, epsilon), epsilon)
      data.foreachAsked(later)((i, alive) => { asked.ask(i, alive); () })
      answers += asked.answers
      violations += asked.violations
    }
    println(
      s"""{"part": "check", "side": "$name", "epsilon": $epsilon, "histories": $histories, "answers": $answers, "violations": $violations}"""
    )
  }

  private def sweep(what: String, data: Changes, epsilons: Seq[Double], rounds: Int): Unit = {
    // not in anybody's time
    data.keys
    // both, and in turns, so that what drifts drifts for both
    val times = for (round <- 0 to rounds; epsilon <- epsilons; name <- Side.Names) yield {
      val start = System.nanoTime
      val side = Side.of(name, data, epsilon)
      val rate = data.changes.length * 1e9 / (System.nanoTime - start)
      (round, epsilon, name, rate, nanos(side, data))
    }
    for (epsilon <- epsilons) {
      val asked = Side.Names.map(name => new Asked(Side.of(name, data, epsilon), epsilon))
      data.foreachAsked(100)((i, alive) => asked.foreach(_.ask(i, alive)))
      asked.foreach { a =>
        val of = times.filter(t => t._1 > 0 && t._2 == epsilon && t._3 == a.side.name)
        println(
          s"""{"part": "sweep", "data": "$what", "updates": ${data.changes.length}, ${described(
              a
            )}, "updates_per_s": ${numbers(
              of.map(_._4)
            )}, "quantile_ns": ${numbers(of.map(_._5))}}"""
        )
      }
    }
  }

  private def described(a: Asked): String =
    f""""side": "${a.side.name}", "epsilon": ${a.epsilon}%.6g, "bytes": ${a.side.bytes}, "parts": ${a.side.parts}, "error": ${a.mean}%.6f, "worst": ${a.worst}%.6f, "certified": ${a.certified}%.6f, "answers": ${a.answers}, "violations": ${a.violations}"""

  private def numbers(all: Seq[Double]): String = all.map(x => f"$x%.1f").mkString("[", ", ", "]")

  /** Each side with about the least ε whose bytes fit, as the paper holds them against each other. */
  private def budget(what: String, data: Changes, kilobytes: Int, withVersions: Boolean): Unit =
    Side.Names.foreach { name =>
      val (side, epsilon) = fitted(name, data, kilobytes * 1000)
      val a = new Asked(side, epsilon)
      data.foreachAsked(100) { (i, alive) =>
        val error = a.ask(i, alive)
        if (withVersions)
          println(
            f"""{"part": "versions", "data": "$what", "budget": $kilobytes, "side": "$name", "epsilon": $epsilon%.6g, "change": $i, "error": $error%.6f}"""
          )
        if (what == "ports" && kilobytes == 1000 && name == "ours") println(shape(a.side, i, alive))
      }
      println(s"""{"part": "budgets", "data": "$what", "budget": $kilobytes, ${described(a)}}""")
    }

  private def fitted(name: String, data: Changes, bytes: Int): (Side, Double) = {
    def side(log: Double): Side = Side.of(name, data, math.exp(log))
    var (low, high) = (math.log(1e-4), math.log(0.5))
    var best = side(high)
    (1 to 7).foreach { _ =>
      val middle = (low + high) / 2
      val tried = side(middle)
      if (tried.bytes <= bytes) { high = middle; best = tried }
      else low = middle
    }
    (best, math.exp(high))
  }

  /** The 0.1-, 0.2- and 0.5-quantiles of the paper's figure 9; it counts from the greatest. */
  private def shape(side: Side, i: Int, alive: Array[Long]): String = {
    val phis = Seq(0.9, 0.8, 0.5).map(Phi(_))
    val exact = phis.map(phi => alive(phi.rank(alive.length.toLong).toInt - 1))
    def all(keys: Seq[Long]): String = keys.mkString("[", ", ", "]")
    s"""{"part": "shape", "change": $i, "exact": ${all(exact)}, "answers": ${all(
        phis.map(side.quantile(i, _))
      )}}"""
  }

  /** A quantile of any version, in nanoseconds. */
  private def nanos(side: Side, data: Changes): Double = {
    // as they are asked: of three digits
    val phis = Array.tabulate(64)(i => Phi((i * 15 + 20) / 1000.0))
    val random = new SplittableRandom(3)
    val asked = 100000
    val at = Array.fill(asked)(random.nextInt(data.first, data.changes.length))
    var sum = 0L
    val start = System.nanoTime
    var k = 0
    while (k < asked) { sum += side.quantile(at(k), phis(k & 63)); k += 1 }
    val each = (System.nanoTime - start).toDouble / asked
    if (sum == 42) println("")
    each
  }
}
