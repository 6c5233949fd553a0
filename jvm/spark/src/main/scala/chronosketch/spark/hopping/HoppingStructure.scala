package chronosketch.spark.hopping

/** The structure that computes the windows of a query. */
private[spark] sealed abstract class HoppingStructure(val name: String)

private[spark] object HoppingStructure {

  /** Aggregates each row in one pane, and merges windows from panes. */
  case object Panes extends HoppingStructure("panes")

  /** Copies each row into all its windows and aggregates each window from its rows, as Spark's `GROUP BY window(...)` does. */
  case object ExpirationList extends HoppingStructure("expiration_list")

  /** Uses the list for windows of a table that do not overlap. Then each row is in one window, and merging panes is extra work. With
    * 10 000 keys the list took half the time, with 10 keys at most a sixth more (benchmarks/results/spark_hopping_structures.md).
    * Uses panes otherwise, and for streams: panes are their state, which has no more rows than windows would.
    */
  case object Auto extends HoppingStructure("auto")

  private val all: Seq[HoppingStructure] = Seq(Auto, Panes, ExpirationList)

  /** The values of the argument. */
  val names: Seq[String] = all.map(_.name)

  /** The other structures of sliding frames, and why they can't compute windows. */
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

  /** Why a structure can't compute windows. None if no structure of sliding frames has this name. */
  def whyNot(name: String): Option[String] = declined.get(name)

  /** The structure of this name. */
  def of(name: String): Option[HoppingStructure] = all.find(_.name == name)
}
