package chronosketch.spark.advisor

import java.math.{BigDecimal, RoundingMode}

/** Writes the SQL and the settings that compute a window with an approach in Spark. Python's `statements` writes the same, which a test
  * checks.
  *
  * A window that moves on by one row, or has no rate, is a frame: OVER has an answer for every row. With a rate, a window
  * that moves on by more is `GROUP BY window(...)`.
  */
private[advisor] object Statements {
  private val calls = Map(
    "quantile" -> "approx_quantile(value, 0.99%s)",
    "median" -> "approx_quantile(value, 0.5%s)",
    "variance" -> "var_samp(value)",
    "stddev" -> "stddev_samp(value)",
    "count" -> "count(value)",
    "sum" -> "sum(value)",
    "average" -> "avg(value)",
    "skewness" -> "skewness(value)",
    "kurtosis" -> "kurtosis(value)",
    "covariance" -> "covar_samp(value, other)"
  )
  private val exact = Map(
    "quantile" -> "percentile_disc(0.99) WITHIN GROUP (ORDER BY value)",
    "median" -> "percentile_disc(0.5) WITHIN GROUP (ORDER BY value)"
  )
  private val List = "expiration_list"
  private val samples = Set("bernoulli", "bounded_priority", "priority")
  private val ofQuantiles = samples ++ Set("arasu_manku", "arasu_manku_variable", "block_sort", "cmqs", List)
  private val ofSums = Set("exponential_histogram", List)
  private val ofVariances = Set("variance_histogram", List)

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
  def of(request: AdviceRequest, approach: String): String = {
    val name = request.aggregate.name
    val workload = request.workload
    val isApproximate = workload.epsilon > 0
    val call = calls(name).replace("%s", if (isApproximate) s", ${plain(workload.epsilon)}" else "")
    request.rate match {
      case Some(rate) if workload.slide > 1 =>
        val size = seconds(workload.retention / rate)
        val slide = seconds(workload.slide / rate)
        if (approach == List && (isApproximate || !exact.contains(name)))
          s"SELECT * FROM hopping(TABLE(events), event_time => 'time', size => '$size',\n" +
            s"slide => '$slide', aggs => array('$call AS answer'), structure => '$List');"
        else {
          val grouped = if (isApproximate) call else exact.getOrElse(name, call)
          s"SELECT window, $grouped AS answer\nFROM events GROUP BY window(time, '$size', '$slide');"
        }
      case _ =>
        val frame = s"ORDER BY time ROWS ${math.rint(workload.retention).toLong - 1} PRECEDING"
        (settings(request, approach, call) :+ s"SELECT time, $call OVER ($frame) AS answer\nFROM events;")
          .mkString("\n")
    }
  }

  private def settings(request: AdviceRequest, approach: String, call: String): Seq[String] = {
    val name = request.aggregate.name
    val isNamed = structures.get(name).exists(_(approach))
    val all = Seq(
      Option.when(!exact.contains(name))("accelerate" -> call.takeWhile(_ != '(')),
      Option.when(isNamed)("structure" -> approach),
      request.delta.filter(_ => isNamed && samples(approach)).map("delta" -> plain(_)),
      Option.when(isNamed && approach.endsWith("_histogram"))("epsilon" -> plain(request.workload.epsilon))
    )
    all.flatten.map { case (key, value) => s"SET spark.chronosketch.sliding.$key = $value;" }
  }

  /** Writes a length in whole microseconds, at least one. */
  private def seconds(length: Double): String =
    s"${plain(math.max(1e-6, new BigDecimal(length).setScale(6, RoundingMode.HALF_EVEN).doubleValue))} seconds"

  /** Writes a number without an exponent and without zeros at its end. */
  private def plain(number: Double): String =
    new BigDecimal(number.toString).stripTrailingZeros.toPlainString
}
