package chronosketch.spark.hopping

/** How the windows of a query are made. */
private[spark] sealed abstract class HoppingStructure(val name: String)

private[spark] object HoppingStructure {

  /** Each row goes into one pane, and windows are merged from panes. */
  case object Panes extends HoppingStructure("panes")

  /** Each row goes into all its windows, and each of these is aggregated anew, as Spark's `GROUP BY window(...)` does. */
  case object ExpirationList extends HoppingStructure("expiration_list")

  /** The list for windows of a table that do not overlap: a row is copied once then, and panes would only be counted twice. Of
    * 10 000 keys the list took half the time, of 10 keys a sixth more at most (benchmarks/results/spark_hopping_structures.md).
    * Panes otherwise, and for streams: these are their state, and hold no more rows than their windows do.
    */
  case object Auto extends HoppingStructure("auto")

  private val all: Seq[HoppingStructure] = Seq(Auto, Panes, ExpirationList)

  /** What the argument may be. */
  val names: Seq[String] = all.map(_.name)

  /** Other structures of sliding frames, and why none of these makes windows. */
  private val declined: Map[String, String] = {
    val sums = "panes keep exact counts, sums and moments in no more memory"
    val samples = "samples come from sketches of panes, as of sample_sketch_agg(value)"
    val quantiles = "quantiles come from sketches of panes, as of quantile_sketch_agg(value, epsilon)"
    val merging = "windows are always made from panes with two stacks"
    Seq("exponential_histogram", "variance_histogram").map(_ -> sums) ++
      Seq("bernoulli", "priority", "bounded_priority", "biased_reservoir").map(_ -> samples) ++
      Seq(
        "arasu_manku",
        "arasu_manku_variable",
        "cmqs",
        "greenwald_khanna",
        "block_sort"
      ).map(_ -> quantiles) ++
      Seq("two_stacks", "daba").map(_ -> merging)
  }.toMap

  /** Why a structure does not make windows; none where nothing is known of it. */
  def whyNot(name: String): Option[String] = declined.get(name)

  /** The structure of this name. */
  def of(name: String): Option[HoppingStructure] = all.find(_.name == name)
}
