package chronosketch.spark.sliding

import chronosketch.sliding.Frames
import chronosketch.sliding.fold.{Folding, SketchFold}
import chronosketch.sliding.order.KeyCounts
import chronosketch.spark.sql.Conditions
import chronosketch.summary.{Envelope, Summary}

private final class CopiesQuantileSlider(asks: Array[Ask.CopiesQuantile]) extends Slider(asks.length) {
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

/** Answers by sketches, which would take more than the rows together: each is made when its row goes out. Rows may be passed over. */
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

  /** What answers an ask of a row that is not before any other that has been asked. */
  protected def make(row: Int, a: Int): Array[Byte]

  /** The same bytes where the frame is the one that was asked last. */
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

/** Summaries of keys, or of keys and how often each counts. */
private final class KeySketchSlider(asks: Array[Ask.Sketch]) extends SketchSlider(asks.length) {
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

/** Unions of stored sketches, by the numbers of the bytes that are kept. */
private final class UnionSlider(asks: Array[Ask.Union], folds: Folding[Summary], kept: KeptBytes)
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
