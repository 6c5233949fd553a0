package chronosketch.spark.sliding.structures

import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{CellUnions, Daba, Folding, SketchFold}
import chronosketch.sliding.order.KeyCounts
import chronosketch.spark.aggregate.Values
import chronosketch.spark.sliding.frames.KeptBytes
import chronosketch.spark.sql.Conditions
import chronosketch.summary.{Envelope, Summary}

/** The key of a φ-quantile, each element counted as often as its frequency says.
  *
  * @param context what messages name, here and below
  */
final case class FrequencyQuantile(phi: Phi, context: Map[String, String]) extends FrameStatistic {
  def kind: FrequencyQuantileStructure.type = FrequencyQuantileStructure
}

case object FrequencyQuantileStructure extends StructureKind[FrequencyQuantile]("key counts") {
  protected def slider(asked: Array[FrequencyQuantile], structure: Structure, bytes: KeptBytes): Slider =
    new FrequencyQuantileSlider(asked)
}

private final class FrequencyQuantileSlider(asks: Array[FrequencyQuantile]) extends Slider(asks.length) {
  private val counts = new KeyCounts

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit =
    Conditions.answering(asks(0).context) {
      counts.begin(columns(0), columns(1), frames)
      var row = 0
      while (row < frames.rows) {
        counts.moveTo(row)
        if (counts.total > 0) {
          var a = 0
          while (a < asks.length) {
            counts.rewind()
            out(row * asks.length + a) = counts.seek(asks(a).phi.rank(counts.total))
            a += 1
          }
        }
        row += 1
      }
    }
}

/** Answers by sketches. All of them together would take more memory than the rows, so each is made when its row goes out. Rows may be
  * left out.
  */
abstract class SketchSlider(asked: Int) extends Slider(asked) {
  private var frames: Frames = _
  private val answered = new Array[Array[Byte]](asked)
  private val answeredRow = new Array[Int](asked)

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

  /** The answer to a statistic of a row; rows are asked for in their order. */
  protected def make(row: Int, a: Int): Array[Byte]

  /** The same bytes again where the frame is the one that was asked for last. */
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

/** A summary of the keys, each counted as often as its frequency says, where there is one. */
final case class KeySketch(values: Values, context: Map[String, String]) extends FrameStatistic {
  def kind: SketchStructure.type = SketchStructure
}

case object SketchStructure extends StructureKind[KeySketch]("key counts", words = 0, answersEmpty = true) {
  protected def slider(asked: Array[KeySketch], structure: Structure, bytes: KeptBytes): Slider =
    new KeySketchSlider(asked)
}

private final class KeySketchSlider(asks: Array[KeySketch]) extends SketchSlider(asks.length) {
  private val counts = new KeyCounts

  protected def begin(columns: Array[Array[Long]], frames: Frames): Unit =
    counts.begin(columns(0), if (columns.length > 1) columns(1) else null, frames)

  protected def make(row: Int, a: Int): Array[Byte] = {
    val values = asks(a).values
    Conditions.answering(asks(a).context) {
      counts.moveTo(row)
      Envelope.seal(values.recipe.ofCounts(counts))
    }
  }
}

/** The union of stored sketches. */
final case class FrameUnion(isDaba: Boolean, context: Map[String, String]) extends FrameStatistic {
  def kind: StructureKind[FrameUnion] = if (isDaba) DabaUnionStructure else UnionStructure
}

case object UnionStructure extends StructureKind[FrameUnion]("two stacks", words = 0) {
  protected def slider(asked: Array[FrameUnion], structure: Structure, bytes: KeptBytes): Slider =
    new UnionSlider(asked, new CellUnions, bytes)
}

case object DabaUnionStructure extends StructureKind[FrameUnion]("DABA", words = 0) {
  protected def slider(asked: Array[FrameUnion], structure: Structure, bytes: KeptBytes): Slider =
    new UnionSlider(asked, new Daba[Summary], bytes)
}

/** Joins stored sketches by the numbers under which their bytes are kept. */
private final class UnionSlider(asks: Array[FrameUnion], folds: Folding[Summary], kept: KeptBytes)
    extends SketchSlider(asks.length) {
  private var joint: Summary = null

  protected def begin(columns: Array[Array[Long]], frames: Frames): Unit = {
    val numbers = columns(0)
    folds.begin(frames, new SketchFold(i => kept(numbers(i))))
  }

  protected def make(row: Int, a: Int): Array[Byte] = Conditions.answering(asks(a).context) {
    while (folds.at <= row) joint = folds.next()
    Envelope.seal(joint)
  }
}
