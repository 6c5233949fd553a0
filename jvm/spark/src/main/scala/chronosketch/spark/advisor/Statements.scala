package chronosketch.spark.advisor

import java.math.{BigDecimal, RoundingMode}

/** Writes the SQL and the settings that compute a window with an approach in Spark. Python's `statements` writes the same, which a test
  * checks.
  *
  * A window that moves on by one row, or has no rate, is a frame: OVER has an answer for every row. With a rate, a window that moves on by
  * more is `hopping`, or `GROUP BY window(...)` for what that can't merge. If Spark has no such structure there, a comment says so.
  */
private[advisor] object Statements {
  private val calls = Map(
    "quantile" -> "approx_quantile(value, 0.99, %s)",
    "median" -> "approx_quantile(value, 0.5, %s)",
    "variance" -> "var_samp(value)",
    "stddev" -> "stddev_samp(value)",
    "count" -> "count(value)",
    "sum" -> "sum(value)",
    "average" -> "avg(value)",
    "skewness" -> "skewness(value)",
    "kurtosis" -> "kurtosis(value)",
    "covariance" -> "covar_samp(value, other)"
  )
  private val samples = Set("bernoulli", "bounded_priority", "priority")
  private val ofQuantiles =
    samples ++ Set("arasu_manku", "arasu_manku_variable", "block_sort", "cmqs", Approach.Recomputing)
  private val ofSums = Set("exponential_histogram", Approach.Recomputing)
  private val ofVariances = Set("variance_histogram", Approach.Recomputing)

  /** The aggregates that `hopping` can merge from panes. */
  private val hopping = Set("quantile", "median", "count", "sum", "average")

  /** The approaches that `spark.chronosketch.sliding.structure` can name, for each aggregate. */
  private val structures = Map(
    "quantile" -> ofQuantiles,
    "median" -> ofQuantiles,
    "count" -> ofSums,
    "sum" -> ofSums,
    "average" -> ofSums,
    "variance" -> ofVariances,
    "stddev" -> ofVariances
  )

  /** The settings, if there are any, and a query of the table `events`. */
  def of(request: AdviceRequest, approach: String, promise: String): String = {
    val workload = request.workload
    val epsilon = if (promise == "exact") 0.0 else workload.epsilon
    val call = calls(request.aggregate.name).replace("%s", plain(epsilon))
    val lines = request.rate match {
      case Some(rate) if workload.slide > 1 =>
        val size = seconds(workload.retention / rate)
        val slide = seconds(workload.slide / rate)
        if (hopping(request.aggregate.name)) hops(approach, call, size, slide)
        else
          Seq(
            "-- Spark copies each row into all its windows",
            s"SELECT window, $call AS answer",
            s"FROM events GROUP BY window(time, '$size', '$slide');"
          )
      case _ =>
        val frame = s"ORDER BY time ROWS ${math.rint(workload.retention).toLong - 1} PRECEDING"
        settings(request, approach, call) ++
          Seq(s"SELECT time, $call OVER ($frame) AS answer", "FROM events;")
    }
    lines.mkString("\n")
  }

  private def hops(approach: String, call: String, size: String, slide: String): Seq[String] = {
    val structure = if (approach == Approach.Recomputing) s", structure => '${Approach.Recomputing}'" else ""
    Option.when(approach != Approach.Recomputing && approach != "panes")(
      s"-- Spark has no ${title(approach)} for windows that hop, and keeps panes"
    ).toSeq ++ Seq(
      s"SELECT * FROM hopping(TABLE(events), event_time => 'time', size => '$size',",
      s"slide => '$slide', aggs => array('$call AS answer')$structure);"
    )
  }

  private def settings(request: AdviceRequest, approach: String, call: String): Seq[String] = {
    val name = request.aggregate.name
    val isNamed = structures.get(name).exists(_(approach))
    val all = Seq(
      Option.when(name != "quantile" && name != "median")("accelerate" -> call.takeWhile(_ != '(')),
      Option.when(isNamed)("structure" -> approach),
      request.delta.filter(_ => isNamed && samples(approach)).map("delta" -> plain(_)),
      Option.when(isNamed && approach.endsWith("_histogram"))("epsilon" -> plain(request.workload.epsilon))
    )
    Option.when(!isNamed)(
      s"-- Spark has no ${title(approach)} for frames, and chooses a structure by itself"
    ).toSeq ++
      all.flatten.map { case (key, value) => s"SET spark.chronosketch.sliding.$key = $value;" }
  }

  private def title(approach: String): String = Approach.named(approach).title

  /** Writes a length in whole microseconds, at least one. */
  private def seconds(length: Double): String =
    s"${plain(math.max(1e-6, new BigDecimal(length).setScale(6, RoundingMode.HALF_EVEN).doubleValue))} seconds"

  /** Writes a number without an exponent and without zeros at its end. */
  private def plain(number: Double): String =
    new BigDecimal(number.toString).stripTrailingZeros.toPlainString
}
