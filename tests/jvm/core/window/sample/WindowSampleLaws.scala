package chronosketch.window.sample

import org.scalacheck.Gen

import chronosketch.domain.Domain
import chronosketch.sample.Sampled
import chronosketch.summary._
import chronosketch.window.{Constraint, Windowed}

/** Laws of window samples that hold whichever rows are drawn. */
object WindowSampleLaws extends LawsOf[WindowSample](WindowSamples) {

  /** Without retention, because the laws do not model which rows are removed. */
  def recipes(domain: Domain): Gen[WindowSampleRecipe] = for {
    numbers <- LawsOf.numbers(WindowSamples.parameters)
    times <- Gen.oneOf(Domain.BigInt, Domain.Timestamp, Domain.Date)
  } yield WindowSampleRecipe.alone(
    domain,
    times,
    numbers(0).toInt,
    numbers(1).toLong,
    numbers(2),
    Windowed.KeepAll
  )

  def makers(domain: Domain): Gen[Maker] = recipes(domain).map(Maker.AtTimes(_, 1))

  protected def violations(summary: WindowSample, seen: Operation.Seen): Seq[String] =
    claims(summary, summary.size, seen)

  protected def knowsAll(summary: WindowSample): Boolean = summary.count == 0

  /** Checks a sample from which rows are missing only by chance. */
  def claims(sample: Sampled, size: Int, seen: Operation.Seen): Seq[String] = {
    val n = seen.values.sum
    val kept = sample.values
    val problems = Seq.newBuilder[String]
    if (sample.countBounds != (n, n)) problems += s"count ${sample.countBounds}, not $n"
    if (kept.length != math.min(n, size.toLong)) problems += s"${kept.length} of $n values, where $size fit"
    kept.toSeq.groupMapReduce(identity)(_ => 1L)(_ + _).foreach { case (key, copies) =>
      if (copies > seen.getOrElse(key, 0L)) problems += s"$copies of $key"
    }
    if (n > 0) {
      val ends = (sample.minimum, sample.maximum)
      if (!sample.isInstanceOf[WindowSample] && ends != (Some(kept.head), Some(kept.last)))
        problems += s"from ${ends._1} to ${ends._2}"
      if (sample.isInstanceOf[WindowSample] && ends != (Some(seen.keys.min), Some(seen.keys.max)))
        problems += s"from ${ends._1} to ${ends._2}, where all rows are known"
      val profile = sample.profile
      if (profile.minimum > seen.keys.min || profile.maximum < seen.keys.max)
        problems += s"nothing is beyond ${profile.minimum} and ${profile.maximum}"
      if (sample.rankError < 0 || sample.rankError > 1) problems += s"error ${sample.rankError}"
      if (kept.length == n && (sample.confidence != 1.0 || sample.rankError != 0.0))
        problems += s"has all, ${sample.confidence}, ${sample.rankError}"
      if (kept.length < n && seen.size > 2 && sample.confidence == 1.0) problems += "certain of a part"
    }
    problems.result()
  }
}

/** Takes windows from samples that also have older rows. */
object SampleWindowLaws extends LawsOf[SampleWindow](SampleWindows) {
  def makers(domain: Domain): Gen[Maker] = for {
    recipe <- WindowSampleLaws.recipes(domain)
    older <- Gen.oneOf(0, 1, 40)
  } yield Windows(recipe, older)

  final case class Windows(recipe: WindowSampleRecipe, older: Int) extends Maker {
    def family: Family[Summary] = SampleWindows

    /** Takes the window of all rows after time 0; the clock's times are all later. */
    private def window(rows: Long)(fill: WindowSample => Unit): SampleWindow = {
      val sketch = recipe.empty
      if (rows < Long.MaxValue / 2)
        (0 until older).foreach(i => sketch.insert(recipe.domain.least, -1L - i, 0))
      fill(sketch)
      val span = if (sketch.isEmpty) 0L else math.max(0L, sketch.newest)
      sketch.restrict(Constraint.WithinLast(span), None)
    }

    def empty(): SampleWindow = window(0)(_ => ())

    def insert(into: Summary, keys: Seq[Long], clock: Clock): Unit =
      into.merge(window(keys.size.toLong)(s => keys.foreach(key => s.insert(key, clock.next(), 0))))

    def insertCounted(into: Summary, bag: Seq[(Long, Long)], clock: Clock): Unit =
      into.merge(window(bag.map(_._2).sum) { s =>
        bag.foreach { case (key, copies) => s.insert(key, clock.next(), 0, copies) }
      })
  }

  protected def violations(summary: SampleWindow, seen: Operation.Seen): Seq[String] =
    WindowSampleLaws.claims(summary, summary.header.numbers(0).toInt, seen)

  protected def knowsAll(summary: SampleWindow): Boolean = summary.count == 0
}
