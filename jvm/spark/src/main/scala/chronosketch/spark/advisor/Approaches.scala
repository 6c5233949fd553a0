package chronosketch.spark.advisor

/** An aggregate of a window.
  *
  * @param isBounded whether the size of a partial answer is independent of the number of rows
  * @param models    the measured aggregates whose costs may be used for this one, the nearest first
  * Source     Meijer 2011, Table 3.1 and §8.2
  */
final case class Aggregate(name: String, isBounded: Boolean, models: Seq[String]) {

  /** The classification of Table 3.1. All aggregates here that are bounded are also differential. */
  def kind: String = if (isBounded) "bounded and differential" else "unbounded and not differential"
}

object Aggregate {
  private def bounded(name: String, others: String*) = Aggregate(name, isBounded = true, name +: others)

  val all: Seq[Aggregate] = Seq(
    bounded("variance"),
    Aggregate("quantile", isBounded = false, Seq("quantile")),
    bounded("count", "sum", "variance"),
    bounded("sum", "count", "variance"),
    bounded("average", "sum", "variance"),
    bounded("stddev", "variance"),
    bounded("skewness", "variance"),
    bounded("kurtosis", "variance"),
    bounded("covariance", "variance"),
    Aggregate("median", isBounded = false, Seq("median", "quantile"))
  )
}

/** A way to compute an aggregate of windows, and which aggregates it can compute.
  *
  * @param serves           the names of these aggregates; empty means all
  * @param needsBounded     whether it needs partial answers of bounded size
  * @param needsWholeSlides whether the slide must divide the window
  */
final case class Approach(
    name: String,
    title: String,
    serves: Seq[String] = Nil,
    needsBounded: Boolean = false,
    needsWholeSlides: Boolean = false
)

object Approach {
  private val quantiles = Seq("quantile", "median")

  /** The approach that computes each answer again from the stored rows. */
  val Recomputing = "expiration_list"

  private val all: Seq[Approach] = Seq(
    Approach(Recomputing, "recompute from a list"),
    Approach("two_stack", "two stacks", needsBounded = true),
    Approach("panes", "panes", needsBounded = true, needsWholeSlides = true),
    Approach("block_sort", "block sort", quantiles),
    Approach("exponential_histogram", "exponential histogram", Seq("count", "sum")),
    Approach("variance_histogram", "variance histogram", Seq("variance")),
    Approach("bernoulli", "Bernoulli sample"),
    Approach("priority", "priority sample"),
    Approach("bounded_priority", "priority sample of bounded size"),
    Approach("biased_reservoir", "biased reservoir"),
    Approach("cmqs", "summaries of fixed panes", quantiles),
    Approach("arasu_manku", "Arasu-Manku, fixed", quantiles),
    Approach("arasu_manku_variable", "Arasu-Manku, variable", quantiles)
  )

  /** The approach of a name. An unknown name gives an approach without restrictions. */
  def named(name: String): Approach =
    all.find(_.name == name).getOrElse(Approach(name, name.replace('_', ' ')))
}
