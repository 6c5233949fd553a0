package chronosketch.quantile

import scala.collection.mutable

import chronosketch.summary.{Certificate, Distributions, ExactBag, MergeShape}

/** Checks the accuracy claim at full size. Run it with `./sbt "core/Test/runMain chronosketch.quantile.AccuracyCampaign"`, optionally
  * followed by another number of elements. It summarises ten million keys of every distribution, at every ε, in one sketch and in
  * 1 000 parts with every merge shape, and compares every claim of every sketch with sorted data. Prints a table; fails on a
  * violation.
  */
object AccuracyCampaign {
  private val Seed = 20260101L
  private val Parts = 1000

  private final case class Row(
      name: String,
      epsilon: Double,
      shape: String,
      s: GreenwaldKhanna,
      violations: Int
  ) {
    private val profile = s.profile
    def cells: Seq[String] = Seq(
      name,
      epsilon.toString,
      shape,
      s.tuples.toString,
      if (epsilon == 0) "" else f"${s.tuples * epsilon}%.2f",
      f"${profile.rankError}%.2e",
      if (epsilon == 0) "" else f"${profile.rankError / epsilon}%.2f",
      violations.toString
    )
  }

  def main(arguments: Array[String]): Unit = {
    val n = arguments.headOption.fold(10000000)(_.toInt)
    val rows = mutable.Buffer.empty[Row]
    print(Seq("input", "epsilon", "parts", "tuples", "tuples·ε", "certified error", "of ε", "violations"))
    Distributions.all.foreach { d =>
      val keys = d.sample(n, Seed)
      val seen = ExactBag.of(keys)
      def run(epsilon: Double, parts: Int, shape: MergeShape): Unit = {
        val s = MergeShape.build(keys, parts, shape)(new GreenwaldKhanna(d.domain, epsilon))
        val found = Certificate.violations(s, seen, merged = parts > 1)
        found.take(3).foreach(v =>
          Console.err.println(s"${d.name}, ε $epsilon, $parts parts, ${shape.name}: $v")
        )
        val row = Row(d.name, epsilon, if (parts == 1) "1" else s"$parts ${shape.name}", s, found.size)
        print(row.cells)
        rows += row
      }
      Seq(1e-4, 1e-3, 0.01, 0.1).foreach(run(_, 1, MergeShape.Chain))
      for (epsilon <- Seq(1e-3, 0.01); shape <- MergeShape.all) run(epsilon, Parts, shape)
      // with ε = 0 all values are kept: only if they fit into memory
      if (n <= 1000000 || seen.distinct <= 100000) run(0.0, 64, MergeShape.Balanced)
    }
    val violations = rows.map(_.violations).sum
    println(s"$n elements, seed $Seed: ${rows.size} sketches, $violations violations")
    if (violations > 0) sys.exit(1)
  }

  private def print(cells: Seq[String]): Unit =
    println(cells.zip(Seq(21, 8, 14, 9, 9, 16, 6, 11)).map { case (cell, width) =>
      cell.padTo(width, ' ')
    }.mkString.stripTrailing)
}
