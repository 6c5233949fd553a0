package chronosketch.spark.advisor

/** A rule of thumb of Meijer's thesis, and the sections that state it. */
final case class Guideline(name: String, section: String)

object Guideline {
  val RecomputingGrows: Guideline = Guideline("recomputing grows with the window", "8.3, 3.2")
  val ExactKeepsRows: Guideline = Guideline("exact answers keep the window", "8.3, 3.2")
  val LargeSlide: Guideline = Guideline("a large slide is recomputed", "8.3, 6.4")
  val BoundedPanes: Guideline = Guideline("panes need a bounded aggregate", "4.8, 4.4")
  val WholePanes: Guideline = Guideline("panes need a slide that divides the window", "4.4, 2.3")
  val Tailored: Guideline = Guideline("a summary serves what it was made for", "4.8, 4.6, 4.7")
  val SamplesAreProbable: Guideline = Guideline("samples keep a promise only probably", "4.8, 4.2")
  val SamplesForQuantiles: Guideline = Guideline("samples promise an error of quantiles only", "4.8, 4.5.4")
  val ExactAsked: Guideline = Guideline("an error of 0 takes exact approaches", "8.1, 4.2")
  val MemoryGiven: Guideline = Guideline("constraints from outside decide", "8.1")
  val LeastTime: Guideline = Guideline("predicted times are compared", "8.1")
  val NearlyEqual: Guideline = Guideline("nearly equal times are decided by memory", "8.1")
  val StandsFor: Guideline = Guideline("one aggregate stands for those alike", "8.2")
  val MeasuredError: Guideline = Guideline("an approach must be robust", "4.1, 4.2")
}

/** A request for advice.
  *
  * @param delta  the probability of a larger error; empty if answers must be certain
  * @param memory the number of bytes allowed, if limited
  * @param rate   rows per second, if known
  */
final case class AdviceRequest(
    aggregate: Aggregate,
    workload: Workload,
    delta: Option[Double],
    memory: Option[Long],
    rate: Option[Double]
)

/** Decides which approaches the guidelines exclude, and why. */
private[advisor] object Serving {

  /** Why an approach is excluded before any prediction; empty if it is not. */
  def refused(request: AdviceRequest, measured: Measured): Option[(Guideline, String)] = {
    val aggregate = request.aggregate
    val approach = Approach.named(measured.approach)
    val isProbable = measured.promise == "probable"
    if (approach.needsBounded && !aggregate.isBounded)
      Some(Guideline.BoundedPanes -> s"${aggregate.name} is ${aggregate.kind}")
    else if (approach.needsWholeSlides && !isWhole(request.workload.retention / request.workload.slide))
      Some(
        Guideline.WholePanes -> s"${plain(request.workload.slide)} rows do not divide ${plain(request.workload.retention)}"
      )
    else if (approach.serves.nonEmpty && !approach.serves.contains(aggregate.name))
      Some(
        Guideline.Tailored -> s"${approach.title} serves ${approach.serves.mkString(" and ")}, not ${aggregate.name}"
      )
    else if (measured.aggregate != aggregate.name && aggregate.isBounded && measured.promise != "exact")
      Some(
        Guideline.StandsFor -> s"its costs were measured for ${measured.aggregate}, which stands for exact approaches only"
      )
    else if (measured.promise == "exact") None
    else if (request.workload.epsilon == 0)
      Some(Guideline.ExactAsked -> s"${approach.title} approximates, and epsilon is 0")
    else if (isProbable && aggregate.isBounded)
      Some(
        Guideline.SamplesForQuantiles -> s"no sample size is known that keeps an error of ${aggregate.name}"
      )
    else if (isProbable && request.delta.isEmpty)
      Some(Guideline.SamplesAreProbable -> "no delta is given, so answers have to be certain")
    else
      measured.worstShare.filter(_ > 1).map { share =>
        Guideline.MeasuredError -> s"an error of ${short(share)} times epsilon was measured"
      }
  }

  private def isWhole(slides: Double): Boolean = math.abs(slides - math.rint(slides)) <= 1e-9 * slides

  /** A number with six digits, formatted as Python's `g` does. */
  private def plain(rows: Double): String = {
    val rounded = new java.math.BigDecimal(rows).round(new java.math.MathContext(6))
    val digits = rounded.stripTrailingZeros
    val exponent = digits.precision - digits.scale - 1
    if (exponent < 6) digits.toPlainString
    else {
      val mantissa = digits.unscaledValue.toString
      val point = if (mantissa.length > 1) s"${mantissa.head}.${mantissa.tail}" else mantissa
      f"${point}e+$exponent%02d"
    }
  }

  /** Why an approach is excluded if its predicted bytes exceed the memory given. */
  def tooLarge(request: AdviceRequest, bytes: Prediction): Option[(Guideline, String)] =
    request.memory.filter(bytes.value > _).map { most =>
      Guideline.MemoryGiven -> s"needs ${spelled(bytes.value)}, and memory is ${spelled(most.toDouble)}"
    }

  /** The guideline that decided which approach is best. */
  def deciding(
      best: Measured,
      others: Seq[Measured],
      beyondMemory: Seq[Measured],
      isTie: Boolean
  ): Guideline =
    if (isTie) Guideline.NearlyEqual
    else if (best.approach == Approach.Recomputing) Guideline.LargeSlide
    else if (best.promise != "exact" && beyondMemory.exists(_.promise == "exact")) Guideline.ExactKeepsRows
    else if (others.exists(_.approach == Approach.Recomputing)) Guideline.RecomputingGrows
    else Guideline.LeastTime

  /** A number with three digits. */
  private def short(value: Double): String =
    if (value >= 100)
      new java.math.BigDecimal(value).setScale(0, java.math.RoundingMode.HALF_EVEN).toPlainString
    else {
      val rounded = new java.math.BigDecimal(value).round(new java.math.MathContext(3))
      rounded.stripTrailingZeros.toPlainString
    }

  private val Units = Seq("B", "KiB", "MiB", "GiB", "TiB")

  private def spelled(bytes: Double): String = {
    val unit = Iterator.iterate(bytes)(_ / 1024).take(Units.size).indexWhere(_ < 1024)
    val at = if (unit < 0) Units.size - 1 else unit
    s"${short(bytes / math.pow(1024, at.toDouble))} ${Units(at)}"
  }
}
