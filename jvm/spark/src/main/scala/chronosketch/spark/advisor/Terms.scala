package chronosketch.spark.advisor

import java.lang.Math.{log, log1p}

/** One of the functions that cost models are sums of. Stored models refer to them by name, so a name never changes meaning. Python has the
  * same list (docs/advisor.md, Terms).
  *
  * @param factors the factors of the workload that it depends on; it is undefined unless all of them are positive
  */
final case class Term(name: String, factors: Seq[String])(value: Workload => Double) {
  def isDefined(at: Workload): Boolean = factors.forall(at.factor(_) > 0)
  def apply(at: Workload): Double = value(at)
}

object Terms {
  private val R = "retention"
  private val S = "slide"
  private val E = "epsilon"
  private val D = "delta"

  private def sampleOf(w: Workload): Double =
    math.min(w.retention, log(1 / (w.epsilon * w.delta)) / (w.epsilon * w.epsilon))

  private def scaled(w: Workload): Double = log1p(w.epsilon * w.retention)
  private def square(x: Double): Double = x * x
  private def levels(w: Workload): Double = square(log(1 / w.epsilon)) / w.epsilon

  private def term(name: String, factors: String*)(f: Workload => Double): Term = Term(name, factors)(f)

  private val all: Seq[Term] = Seq(
    term("one")(_ => 1.0),
    term("retention", R)(_.retention),
    term("slide", S)(_.slide),
    term("inverse_slide", S)(w => 1 / w.slide),
    term("log_retention", R)(w => log(w.retention)),
    term("log_retention_squared", R)(w => square(log(w.retention))),
    term("log_slide", S)(w => log(w.slide)),
    term("log_slide_squared", S)(w => square(log(w.slide))),
    term("log_inverse_epsilon", E)(w => log(1 / w.epsilon)),
    term("log_inverse_epsilon_squared", E)(w => square(log(1 / w.epsilon))),
    term("log_retention_log_slide", R, S)(w => log(w.retention) * log(w.slide)),
    term("log_retention_log_inverse_epsilon", R, E)(w => log(w.retention) * log(1 / w.epsilon)),
    term("log_slide_log_inverse_epsilon", S, E)(w => log(w.slide) * log(1 / w.epsilon)),
    term("room", R)(w => math.pow(2, math.ceil(log(w.retention) / log(2) - 1e-9))),
    term("retention_log_retention", R)(w => w.retention * log(w.retention)),
    term("slides_in_retention", R, S)(w => w.retention / w.slide),
    term("slide_log_retention", R, S)(w => w.slide * log(w.retention)),
    term("slide_log_inverse_epsilon", S, E)(w => w.slide * log(1 / w.epsilon)),
    term("inverse_epsilon", E)(w => 1 / w.epsilon),
    term("log_scaled_retention", R, E)(scaled),
    term("slide_log_scaled_retention", R, S, E)(w => w.slide * scaled(w)),
    term("summary", R, E)(w => scaled(w) / w.epsilon),
    term("blocks", R, E)(w => w.retention / (1 + square(w.epsilon) * w.retention)),
    term("pane_keys", R, E)(w =>
      if (w.retention <= 8 / square(w.epsilon)) w.retention else 4.8 / square(w.epsilon)
    ),
    term("levels", E)(levels),
    term("levels_log_scaled_retention", R, E)(w => levels(w) * scaled(w)),
    term("variance_buckets", R, E)(w =>
      9 * log1p(square(w.epsilon) * w.retention / 9) / square(w.epsilon)
    ),
    term("sample", R, E, D)(sampleOf),
    term("log_sample", R, E, D)(w => log1p(sampleOf(w))),
    term("sample_log_sample", R, E, D)(w => sampleOf(w) * log1p(sampleOf(w))),
    term("sample_log_retention", R, E, D)(w => sampleOf(w) * log(w.retention)),
    term("sampled", R, E, D)(w => sampleOf(w) / w.retention),
    term("slide_log_sample", R, S, E, D)(w => w.slide * log1p(sampleOf(w))),
    term("slide_sampled", R, S, E, D)(w => w.slide * sampleOf(w) / w.retention)
  )

  val byName: Map[String, Term] = all.map(t => t.name -> t).toMap
}
