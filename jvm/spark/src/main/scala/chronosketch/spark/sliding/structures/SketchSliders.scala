package chronosketch.spark.sliding.structures

import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{CellUnions, Daba, Folding, SketchFold}
import chronosketch.sliding.order.KeyCounts
import chronosketch.spark.aggregate.Values
import chronosketch.spark.sliding.frames.KeptBytes
import chronosketch.spark.sql.Conditions
import chronosketch.summary.{Envelope, Summary}

/** The key of a φ-quantile of elements with frequencies.
  *
  * @param context parameters of error messages, here and in the classes below
  */
final case class FrequencyQuantile(phi: Phi, context: Map[String, String]) extends FrameStatistic {
  def structure: FrequencyQuantileStructure.type = FrequencyQuantileStructure
}

case object FrequencyQuantileStructure extends Structure[FrequencyQuantile]("key counts") {
  protected def slider(stats: Array[FrequencyQuantile], spec: SliderSpec, bytes: KeptBytes): Slider =
    new FrequencyQuantileSlider(stats)
}

private final class FrequencyQuantileSlider(stats: Array[FrequencyQuantile]) extends Slider(stats.length) {
  private val counts = new KeyCounts

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit =
    Conditions.answering(stats(0).context) {
      counts.begin(columns(0), columns(1), frames)
      var row = 0
      while (row < frames.rows) {
        counts.moveTo(row)
        if (counts.total > 0) {
          var a = 0
          while (a < stats.length) {
            counts.rewind()
            out(row * stats.length + a) = counts.seek(stats(a).phi.rank(counts.total))
            a += 1
          }
        }
        row += 1
      }
    }
}

/** Answers with sketches. All sketches together would need more memory than the rows, so each is built when its row is returned. Rows may
  * be skipped.
  */
abstract class SketchSlider(count: Int) extends Slider(count) {
  private var frames: Frames = _
  private val answered = new Array[Array[Byte]](count)
  private val answeredRow = new Array[Int](count)

  final def slide(
      columns: Array[Array[Long]],
      frames: Frames,
      out: Array[Long],
      outcomes: Array[Byte]
  ): Unit = {
    this.frames = frames
    java.util.Arrays.fill(answered.asInstanceOf[Array[AnyRef]], null)
    begin(columns, frames)
  }

  protected def begin(columns: Array[Array[Long]], frames: Frames): Unit

  /** Builds the answer to a statistic of a row. Called with ascending rows. */
  protected def make(row: Int, a: Int): Array[Byte]

  /** Returns the answer to a statistic of a row. Reuses the last answer if the frame is the same. */
  final def sketch(row: Int, a: Int): Array[Byte] = {
    val last = answeredRow(a)
    val isSame = answered(a) != null &&
      frames.from(last) == frames.from(row) && frames.until(last) == frames.until(row)
    if (!isSame) {
      answered(a) = make(row, a)
      answeredRow(a) = row
    }
    answered(a)
  }
}

/** A summary of the keys, with their frequencies if given. */
final case class KeySketch(values: Values, context: Map[String, String]) extends FrameStatistic {
  def structure: SketchStructure.type = SketchStructure
}

case object SketchStructure extends Structure[KeySketch]("key counts", words = 0, answersEmpty = true) {
  protected def slider(stats: Array[KeySketch], spec: SliderSpec, bytes: KeptBytes): Slider =
    new KeySketchSlider(stats)
}

private final class KeySketchSlider(stats: Array[KeySketch]) extends SketchSlider(stats.length) {
  private val counts = new KeyCounts

  protected def begin(columns: Array[Array[Long]], frames: Frames): Unit =
    counts.begin(columns(0), if (columns.length > 1) columns(1) else null, frames)

  protected def make(row: Int, a: Int): Array[Byte] = {
    val values = stats(a).values
    Conditions.answering(stats(a).context) {
      counts.moveTo(row)
      Envelope.seal(values.recipe.ofCounts(counts))
    }
  }
}

/** The union of stored sketches. */
final case class FrameUnion(isDaba: Boolean, context: Map[String, String]) extends FrameStatistic {
  def structure: Structure[FrameUnion] = if (isDaba) DabaUnionStructure else UnionStructure
}

case object UnionStructure extends Structure[FrameUnion]("two stacks", words = 0) {
  protected def slider(stats: Array[FrameUnion], spec: SliderSpec, bytes: KeptBytes): Slider =
    new UnionSlider(stats, new CellUnions, bytes)
}

case object DabaUnionStructure extends Structure[FrameUnion]("DABA", words = 0) {
  protected def slider(stats: Array[FrameUnion], spec: SliderSpec, bytes: KeptBytes): Slider =
    new UnionSlider(stats, new Daba[Summary], bytes)
}

/** Merges stored sketches. Elements are the numbers of their bytes in [[KeptBytes]]. */
private final class UnionSlider(stats: Array[FrameUnion], folds: Folding[Summary], bytes: KeptBytes)
    extends SketchSlider(stats.length) {
  private var union: Summary = null
  private val held = bytes.newUnions()
  private var fills = -1L

  protected def begin(columns: Array[Array[Long]], frames: Frames): Unit = {
    val numbers = columns(0)
    folds.begin(frames, new SketchFold(i => bytes(numbers(i))))
  }

  protected def make(row: Int, a: Int): Array[Byte] = Conditions.answering(stats(a).context) {
    while (folds.at <= row) union = folds.next()
    if (folds.fills != fills || row % UnionSlider.RowsBetweenRequests == 0) {
      fills = folds.fills
      held.request(folds.heldBytes(SketchFold.sizeOf))
    }
    Envelope.seal(union)
  }
}

private object UnionSlider {

  /** How often the memory of growing unions is requested anew. */
  val RowsBetweenRequests = 1024
}
