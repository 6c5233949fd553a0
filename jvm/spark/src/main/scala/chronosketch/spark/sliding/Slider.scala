package chronosketch.spark.sliding

import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{Daba, Folding, Folds}
import chronosketch.sliding.moments.Answers
import chronosketch.summary.Summary

/** What answers the asks of one structure, a segment at a time. One a task: its room is used again.
  *
  * @param asked how many words a row has
  */
abstract class Slider(asked: Int) {

  /** Leaves at out(row·asked + a) what answers ask a, and there in `outcomes` whether it does, where the kind has such; what is
    * there of an empty frame says nothing, but of kinds that answer it.
    */
  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit

  private var words = new Array[Long](0)
  private var numbers = new Array[Double](0)
  private var others = new Array[Double](0)

  /** Room for an answer to each row, where they are not all that there are. */
  protected final def answersOf(frames: Frames, out: Array[Long]): Array[Long] =
    if (asked == 1) out else roomOf(frames.rows)

  protected final def roomOf(length: Int): Array[Long] = {
    if (words.length < length) words = new Array[Long](length + length / 4)
    words
  }

  protected final def scatter(answers: Array[Long], frames: Frames, a: Int, out: Array[Long]): Unit =
    if (answers ne out) {
      var row = 0
      while (row < frames.rows) { out(row * asked + a) = answers(row); row += 1 }
    }

  /** The doubles of these bits that some frame has. */
  protected final def doubles(bits: Array[Long], frames: Frames): Array[Double] = {
    numbers = Slider.decode(bits, frames, numbers)
    numbers
  }

  protected final def otherDoubles(bits: Array[Long], frames: Frames): Array[Double] = {
    others = Slider.decode(bits, frames, others)
    others
  }

  protected final def setAnswers(
      from: Answers,
      rows: Int,
      a: Int,
      undefined: Int,
      divided: Int,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Unit = {
    val values = from.values
    val found = from.outcomes
    var row = 0
    while (row < rows) {
      val at = row * asked + a
      val outcome = found(row).toInt
      out(at) = java.lang.Double.doubleToRawLongBits(
        if (outcome == Answers.Undefined) Double.NaN else values(row)
      )
      outcomes(at) =
        if (outcome == Answers.Undefined) undefined.toByte
        else if (outcome == Answers.DivisionByZero) divided.toByte
        else outcome.toByte
      row += 1
    }
  }
}

object Slider {
  private def decode(bits: Array[Long], frames: Frames, room: Array[Double]): Array[Double] = {
    val end = frames.until(frames.rows - 1)
    val into = if (room.length >= end) room else new Array[Double](end + end / 4)
    var i = frames.from(0)
    while (i < end) { into(i) = java.lang.Double.longBitsToDouble(bits(i)); i += 1 }
    into
  }

  def of(structure: Structure, kept: KeptBytes): Slider = {
    val asks = structure.asks
    structure.kind match {
      case SlidingKind.Quantiles => new QuantileSlider(asks.collect { case Ask.Quantile(phi) => phi }.toArray)
      case SlidingKind.Percentages =>
        new PercentageSlider(asks.collect { case p: Ask.Percentage => p }.toArray)
      case SlidingKind.Extremes =>
        new ExtremeSlider(asks.collect { case Ask.Extreme(least) => least }.toArray)
      case SlidingKind.FloatingExtremes =>
        new FloatingExtremeSlider(asks.collect { case Ask.FloatingExtreme(least) => least }.toArray)
      case SlidingKind.Places =>
        new PlaceSlider(asks.collect { case Ask.Beside(least) => least }.toArray, 2L << structure.elements(1))
      case SlidingKind.Counts => new CountSlider(asks.length)
      case SlidingKind.LongSums => new LongSumSlider(asks.toArray)
      case SlidingKind.DoubleSums => new DoubleSumSlider(asks.toArray)
      case SlidingKind.Moments => new MomentSlider(asks.collect { case m: Ask.Moment => m }.toArray)
      case SlidingKind.CrossMoments =>
        new CrossMomentSlider(asks.collect { case m: Ask.CrossMoment => m }.toArray)
      case SlidingKind.Mode =>
        new ModeSlider(asks.collect { case Ask.MostFrequent(greatest) => greatest }.toArray)
      case SlidingKind.Bits => new BitSlider(asks.toArray)
      case SlidingKind.CopiesQuantiles =>
        new CopiesQuantileSlider(asks.collect { case q: Ask.CopiesQuantile => q }.toArray)
      case SlidingKind.Sketches => new KeySketchSlider(asks.collect { case s: Ask.Sketch => s }.toArray)
      case SlidingKind.Unions => unions(asks, new Folds[Summary], kept)
      case SlidingKind.DabaUnions => unions(asks, new Daba[Summary], kept)
    }
  }
  private def unions(asks: Seq[Ask], folds: Folding[Summary], kept: KeptBytes): Slider =
    new UnionSlider(asks.collect { case u: Ask.Union => u }.toArray, folds, kept)
}
