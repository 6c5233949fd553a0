package chronosketch.spark.table

import java.util.Locale

import scala.util.Try

import chronosketch.spark.table.NearestFunction._

/** Finds the function that a user meant by a name that does not exist: a name of another system, other words for the same thing, or a
  * misspelling.
  *
  * @param functions the names that exist, as they are written without the prefix
  * @param oneWord   whether a misspelling of a name of one word is found too
  */
private[spark] final class NearestFunction(functions: Seq[String], oneWord: Boolean) {
  private val known = functions.toSet
  private val parts: Seq[(String, Set[String])] = functions.map(name => name -> words(name).toSet)

  /** The function nearest to a call with n arguments. None if the name does not look like one of ours. */
  def find(name: String, arguments: Int): Option[Guess] = {
    val bare = name.toLowerCase(Locale.ROOT).stripPrefix(SqlFunction.Prefix)
    val found =
      if (known(bare)) Some(Guess(bare))
      else if (SparksOwn.exists(bare.startsWith)) None
      else
        Elsewhere.get(bare)
          .orElse(
            if (Markers.exists(bare.contains)) bySameWords(name.stripPrefix(SqlFunction.Prefix)) else None
          )
          .orElse(percentile(bare))
          .orElse(misspelt(bare))
    found.map(byArguments(_, arguments)).filter(guess => known(guess.function))
  }

  /** Names such as p99. */
  private def percentile(name: String): Option[Guess] =
    Option.when(name.startsWith("p"))(name).flatMap(phiOf).map(at("approx_quantile", _))

  /** Merging two sketches and merging those of a group have names that are easily confused. */
  private def byArguments(guess: Guess, arguments: Int): Guess = (guess.function, arguments) match {
    case ("sketch_merge", 1) => guess.copy(function = "sketch_merge_agg")
    case ("sketch_merge_agg", 2) => Guess("sketch_merge")
    case _ => guess
  }

  /** The function whose words are nearly those of the name. If several are, the one with the fewest words. */
  private def bySameWords(name: String): Option[Guess] = {
    val all = words(name)
    val phi = all.flatMap(phiOf).headOption
    val asked = all.map(word => if (phiOf(word).isDefined) "quantile" else word).toSet
    def similarity(own: Set[String]): Double = (own & asked).size.toDouble / (own | asked).size
    val (best, own) = parts.minBy { case (_, own) => (-similarity(own), own.size) }
    Option.when(similarity(own) >= LeastSimilarity)(
      phi.fold(Guess(best))(share => Guess(best, args => args.take(1) :+ share))
    )
  }

  private def misspelt(name: String): Option[Guess] = {
    val most = if (name.length < 9) 1 else 2
    def isCompared(function: String): Boolean =
      function.contains("_") || (oneWord && function.take(1) == name.take(1))
    functions.filter(isCompared).map(f => f -> distance(name, f)).filter(_._2 <= most)
      .sortBy(_._2).headOption.map { case (function, _) => Guess(function) }
  }
}

private[spark] object NearestFunction {

  /** A function, and its arguments made from those that the user gave. */
  final case class Guess(function: String, arguments: Seq[String] => Seq[String] = identity)

  private def first(function: String): Guess = Guess(function, _.take(1))
  private def last(function: String): Guess = Guess(function, _.takeRight(1))
  private def example(function: String): Guess = Guess(function, _ => Nil)
  private def at(function: String, phi: String): Guess = Guess(function, _.take(1) :+ phi)

  /** BigQuery's number of equal parts. As many quantiles as fit a line are listed. */
  private def boundaries(args: Seq[String]): Seq[String] = {
    val parts = args.lift(1).flatMap(n => Try(n.toInt).toOption).filter(n => n >= 1 && n <= 10)
    val phis = parts.fold(Seq("0.5", "0.9", "0.99"))(n => (0 to n).map(i => number(BigDecimal(i) / n)))
    args.take(1) :+ phis.mkString("array(", ", ", ")")
  }

  private def number(share: BigDecimal): String =
    share.setScale(4, BigDecimal.RoundingMode.HALF_UP).bigDecimal.stripTrailingZeros.toPlainString

  /** Names of other systems, and guesses that people made, whose words are not enough to find the function. */
  private[spark] val Elsewhere: Map[String, Guess] = Map(
    // Snowflake
    "approx_percentile_accumulate" -> first("quantile_sketch_agg"),
    "approx_percentile_combine" -> first("sketch_merge_agg"),
    "approx_percentile_estimate" -> Guess("sketch_quantile"),
    // TimescaleDB
    "approx_percentile_agg" -> first("quantile_sketch_agg"),
    "percentile_agg" -> first("quantile_sketch_agg"),
    "approx_percentile_rank" -> Guess("sketch_cdf", _.reverse),
    "uddsketch" -> last("ddsketch_agg"),
    "tdigest" -> last("quantile_sketch_agg"),
    // Trino
    "tdigest_agg" -> first("quantile_sketch_agg"),
    "qdigest_agg" -> first("quantile_sketch_agg"),
    "value_at_quantile" -> Guess("sketch_quantile"),
    "values_at_quantiles" -> Guess("sketch_quantile"),
    "quantile_at_value" -> Guess("sketch_cdf"),
    "quantiles_at_values" -> Guess("sketch_cdf"),
    // BigQuery, Druid, DataSketches, DuckDB
    "approx_quantiles" -> Guess("approx_quantile", boundaries),
    "approx_quantile_ds" -> Guess("approx_quantile", _.take(2)),
    "ds_quantiles_sketch" -> first("quantile_sketch_agg"),
    "ds_get_quantile" -> Guess("sketch_quantile"),
    "ds_get_quantiles" -> Guess("sketch_quantile"),
    "reservoir_quantile" -> Guess("approx_quantile", _.take(2)),
    "quantile_cont" -> Guess("approx_quantile", args => args.take(2) :+ "interpolation => 'linear'"),
    "quantile_disc" -> Guess("approx_quantile"),
    // Flink and streaming SQL
    "hop" -> example("hopping"),
    "hopping_window" -> Guess("hopping"),
    "hopping_windows" -> Guess("hopping"),
    "hopping_agg" -> Guess("hopping"),
    "sliding_window" -> example("hopping"),
    // guesses
    "quantile_agg" -> first("quantile_sketch_agg"),
    "quantiles_agg" -> first("quantile_sketch_agg"),
    "sketch_agg" -> first("quantile_sketch_agg"),
    "quantile_sketch" -> first("quantile_sketch_agg"),
    "create_sketch" -> first("quantile_sketch_agg"),
    "build_sketch" -> first("quantile_sketch_agg"),
    "merge_sketches" -> first("sketch_merge_agg"),
    "approx_median" -> at("approx_quantile", "0.5"),
    "sketch_median" -> at("sketch_quantile", "0.5"),
    "sketch_iqr" -> first("sketch_box"),
    "sketch_n" -> first("sketch_count"),
    "sketch_error" -> first("sketch_rank_error"),
    "last_rows" -> Guess("among_last"),
    "quantile_over_time" -> example("approx_window_quantile")
  )

  /** Families of sketches that are Spark's. Some of their functions exist only in later versions. */
  private val SparksOwn = Seq("kll_sketch", "hll_", "theta_", "tuple_", "count_min_", "bitmap_")

  /** A name without any of these is left to Spark, unless it is a misspelling of one of ours. */
  private val Markers = Seq("sketch", "quantile", "digest", "approx_p", "histogram_to", "percentile_")

  private val LeastSimilarity = 0.65

  private val Synonyms: Map[String, String] = Map(
    "percentile" -> "quantile",
    "percentiles" -> "quantile",
    "percent" -> "quantile",
    "pct" -> "quantile",
    "pctl" -> "quantile",
    "perc" -> "quantile",
    "quantiles" -> "quantile",
    "approximate" -> "approx",
    "aggregate" -> "agg",
    "accumulate" -> "agg",
    "build" -> "agg",
    "builder" -> "agg",
    "create" -> "agg",
    "collect" -> "agg",
    "union" -> "merge",
    "combine" -> "merge",
    "merged" -> "merge",
    "merging" -> "merge",
    "sketches" -> "sketch",
    "digest" -> "sketch",
    "tdigest" -> "sketch",
    "average" -> "mean",
    "avg" -> "mean",
    "std" -> "stddev",
    "stdev" -> "stddev",
    "sd" -> "stddev",
    "var" -> "variance",
    "minimum" -> "min",
    "maximum" -> "max",
    "info" -> "describe",
    "bound" -> "bounds",
    "moment" -> "moments",
    "windowed" -> "window",
    "valid" -> "is"
  )

  /** Words that add nothing: `get_sketch_quantile`. */
  private val Fillers = Set("get", "the", "of", "from", "estimate", "fn", "func", "udf", "double", "float")

  /** The words of a name that is written with underscores or in camel case. */
  private def words(name: String): Seq[String] =
    name.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT).split("_").toSeq
      .filter(word => word.nonEmpty && !Fillers(word)).map(word => Synonyms.getOrElse(word, word))

  private val Percentile = "p(\\d{2,5})".r

  /** The share that p50, p99 or p999 stands for. */
  private def phiOf(word: String): Option[String] = word match {
    case Percentile(digits) => Some("0." + digits.replaceAll("(?<=.)0+$", ""))
    case "median" => Some("0.5")
    case _ => None
  }

  /** The number of letters to insert, delete or replace, or of neighbours to swap. */
  private def distance(a: String, b: String): Int = {
    val d = Array.ofDim[Int](a.length + 1, b.length + 1)
    for (i <- 0 to a.length; j <- 0 to b.length) {
      d(i)(j) =
        if (i == 0 || j == 0) i + j
        else {
          val replaced = d(i - 1)(j - 1) + (if (a(i - 1) == b(j - 1)) 0 else 1)
          val least = Seq(d(i - 1)(j) + 1, d(i)(j - 1) + 1, replaced).min
          val isSwap = i > 1 && j > 1 && a(i - 1) == b(j - 2) && a(i - 2) == b(j - 1)
          if (isSwap) math.min(least, d(i - 2)(j - 2) + 1) else least
        }
    }
    d(a.length)(b.length)
  }
}
