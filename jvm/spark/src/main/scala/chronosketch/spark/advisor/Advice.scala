package chronosketch.spark.advisor

import chronosketch.Refusal

/** One approach for a window: its rank, its predicted costs, and why it was ranked there or excluded.
  *
  * @param rank         1 is the best; empty if the approach is excluded
  * @param time         predicted CPU nanoseconds per slide
  * @param load         the predicted share of one core; empty if no rate was given
  * @param extrapolated the factors of the workload that are outside the measured range
  * @param guideline    the rule that decided
  * @param excluded     why the approach is not ranked; empty if it is
  * @param sql          the settings and the query to write; empty if the approach is excluded
  */
final case class Choice(
    rank: Option[Int],
    approach: String,
    title: String,
    promise: String,
    time: Option[Prediction],
    bytes: Option[Prediction],
    load: Option[Double],
    isWithinMemory: Option[Boolean],
    extrapolated: Seq[String],
    guideline: Guideline,
    excluded: Option[String],
    sql: Option[String]
)

/** Chooses an approach for a window: excludes by guidelines, predicts costs from a cost model and ranks the rest.
  *
  * Source  Meijer 2011, chapter 8. Python's `cs.advise` makes the same choices, which a test checks
  */
object Advice {

  /** Times whose relative difference is smaller count as equal. It is far below the error of any model. */
  private val Tie = 0.02

  /** Returns the ranked approaches, best first, and then the excluded ones. */
  def of(request: AdviceRequest, model: CostModel): Seq[Choice] = {
    val models = request.aggregate.models.map(model.of).foldLeft(Map.empty[String, Measured])((all, more) =>
      more ++ all
    )
    if (models.isEmpty)
      throw Refusal(
        "CHRONOSKETCH_NO_COST_MODEL",
        "source" -> model.source,
        "reason" -> s"it has no measurements of ${request.aggregate.name}"
      )
    val choices = models.values.toSeq.sortBy(_.approach).map(m => m -> choice(request, m))
    val (serving, excluded) = choices.partition(_._2.excluded.isEmpty)
    val (ranked, isTie) = inOrder(serving)
    val beyondMemory = excluded.collect { case (m, c) if c.isWithinMemory.contains(false) => m }
    val numbered = ranked.zipWithIndex.map { case ((m, c), i) =>
      val numbered = c.copy(rank = Some(i + 1))
      if (i > 0) numbered
      else numbered.copy(guideline = Serving.deciding(m, ranked.tail.map(_._1), beyondMemory, isTie))
    }
    numbered ++ excluded.map(_._2)
  }

  private def choice(request: AdviceRequest, measured: Measured): Choice = {
    val workload = request.workload
    val time = Option.when(measured.time.isDefined(workload))(measured.time.predict(workload))
    val bytes = Option.when(measured.bytes.isDefined(workload))(measured.bytes.predict(workload))
    val exclusion = Serving.refused(request, measured)
      .orElse(Option.when(time.isEmpty || bytes.isEmpty)(
        Guideline.ExactAsked -> "its cost depends on epsilon and delta, and both are not given"
      ))
      .orElse(bytes.flatMap(Serving.tooLarge(request, _)))
    Choice(
      None,
      measured.approach,
      Approach.named(measured.approach).title,
      measured.promise,
      time,
      bytes,
      for (rate <- request.rate; t <- time) yield t.value / 1e9 * rate / workload.slide,
      for (most <- request.memory; b <- bytes) yield b.value <= most,
      beyondMeasured(request, measured),
      exclusion.fold(Guideline.LeastTime)(_._1),
      exclusion.map(_._2),
      Option.when(exclusion.isEmpty)(Statements.of(request, measured.approach, measured.promise))
    )
  }

  private def beyondMeasured(request: AdviceRequest, measured: Measured): Seq[String] = {
    val factors = Seq("retention", "slide") ++
      Option.when(measured.promise != "exact")("epsilon") ++
      Option.when(measured.promise == "probable" && request.delta.nonEmpty)("delta")
    factors.filterNot { factor =>
      val (low, high) = measured.ranges(factor)
      val value = request.workload.factor(factor)
      low * (1 - 1e-9) <= value && value <= high * (1 + 1e-9)
    }
  }

  /** Sorts by predicted time; of nearly equal times the one with least bytes comes first. Also returns whether bytes decided which is best.
    */
  private def inOrder(serving: Seq[(Measured, Choice)]): (Seq[(Measured, Choice)], Boolean) = {
    def time(entry: (Measured, Choice)): Double = entry._2.time.fold(Double.PositiveInfinity)(_.value)
    def bytes(entry: (Measured, Choice)): Double = entry._2.bytes.fold(Double.PositiveInfinity)(_.value)
    def pick(remaining: Seq[(Measured, Choice)]): List[(Measured, Choice)] =
      if (remaining.isEmpty) Nil
      else {
        val first = remaining.takeWhile(time(_) <= time(remaining.head) * (1 + Tie)).minBy(bytes)
        first :: pick(remaining.filterNot(_ eq first))
      }
    val remaining = serving.sortBy(time)
    val ranked = pick(remaining)
    (ranked, ranked.nonEmpty && (ranked.head ne remaining.head))
  }
}
