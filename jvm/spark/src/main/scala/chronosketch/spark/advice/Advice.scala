package chronosketch.spark.advice

import chronosketch.Refusal

/** An approach for a window, and what it is predicted to cost.
  *
  * @param rank         1 is the best; none where the approach is excluded
  * @param time         CPU nanoseconds a slide
  * @param load         the share of one core, where the rate is known
  * @param extrapolated factors of the workload beyond what was measured
  * @param guideline    what decided
  * @param excluded     why it is not ranked
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
    excluded: Option[String]
)

/** Which approach to take for a window: filtered by guidelines, predicted from a cost model, ranked.
  *
  * Source  Meijer 2011, chapter 8; the same choices as Python's `cs.advise`, to which a test holds it
  */
object Advice {

  /** Times that differ by less are equal: far below the error of any model. */
  private val Tie = 0.02

  /** The best first, those that are excluded last. */
  def of(asked: AdviceAsked, model: CostModel): Seq[Choice] = {
    val found = asked.aggregate.models.map(model.of).foldLeft(Map.empty[String, Measured])((all, more) =>
      more ++ all
    )
    if (found.isEmpty)
      throw Refusal(
        "CHRONOSKETCH_NO_COST_MODEL",
        "source" -> model.source,
        "reason" -> s"it has no measurements of ${asked.aggregate.name}"
      )
    val choices = found.values.toSeq.sortBy(_.approach).map(m => m -> choice(asked, m))
    val (serving, excluded) = choices.partition(_._2.excluded.isEmpty)
    val (ranked, isTie) = inOrder(serving)
    val beyond = excluded.collect { case (m, c) if c.isWithinMemory.contains(false) => m }
    val numbered = ranked.zipWithIndex.map { case ((m, c), i) =>
      val numbered = c.copy(rank = Some(i + 1))
      if (i > 0) numbered
      else numbered.copy(guideline = Serving.deciding(m, ranked.tail.map(_._1), beyond, isTie))
    }
    numbered ++ excluded.map(_._2)
  }

  private def choice(asked: AdviceAsked, measured: Measured): Choice = {
    val workload = asked.workload
    val time = Option.when(measured.time.isDefined(workload))(measured.time.predict(workload))
    val bytes = Option.when(measured.bytes.isDefined(workload))(measured.bytes.predict(workload))
    val out = Serving.refused(asked, measured)
      .orElse(Option.when(time.isEmpty || bytes.isEmpty)(
        Guideline.ExactAsked -> "its cost depends on epsilon and delta, and both are not given"
      ))
      .orElse(bytes.flatMap(Serving.tooLarge(asked, _)))
    Choice(
      None,
      measured.approach,
      Approach.named(measured.approach).title,
      measured.promise,
      time,
      bytes,
      for (rate <- asked.rate; t <- time) yield t.value / 1e9 * rate / workload.slide,
      for (most <- asked.memory; b <- bytes) yield b.value <= most,
      beyondMeasured(asked, measured),
      out.fold(Guideline.LeastTime)(_._1),
      out.map(_._2)
    )
  }

  private def beyondMeasured(asked: AdviceAsked, measured: Measured): Seq[String] = {
    val factors = Seq("retention", "slide") ++
      Option.when(measured.promise != "exact")("epsilon") ++
      Option.when(measured.promise == "probable" && asked.delta.nonEmpty)("delta")
    factors.filterNot { factor =>
      val (low, high) = measured.ranges(factor)
      val value = asked.workload.factor(factor)
      low * (1 - 1e-9) <= value && value <= high * (1 + 1e-9)
    }
  }

  /** By predicted time; of times that are nearly equal the least bytes first. And whether bytes decided which is the best. */
  private def inOrder(serving: Seq[(Measured, Choice)]): (Seq[(Measured, Choice)], Boolean) = {
    def time(of: (Measured, Choice)): Double = of._2.time.fold(Double.PositiveInfinity)(_.value)
    def bytes(of: (Measured, Choice)): Double = of._2.bytes.fold(Double.PositiveInfinity)(_.value)
    def rest(waiting: Seq[(Measured, Choice)]): List[(Measured, Choice)] =
      if (waiting.isEmpty) Nil
      else {
        val first = waiting.takeWhile(time(_) <= time(waiting.head) * (1 + Tie)).minBy(bytes)
        first :: rest(waiting.filterNot(_ eq first))
      }
    val waiting = serving.sortBy(time)
    val ranked = rest(waiting)
    (ranked, ranked.nonEmpty && (ranked.head ne waiting.head))
  }
}
