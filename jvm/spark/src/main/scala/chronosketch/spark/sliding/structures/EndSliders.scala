package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.order.{BlockSort, Ranks}
import chronosketch.spark.sliding.frames.KeptBytes

/** What is asked of the least, or the greatest, keys of a frame. */
sealed abstract class EndStatistic extends FrameStatistic {
  def kind: EndStructure.type = EndStructure
}

/** How many elements there are. */
case object EndCount extends EndStatistic

/** The place-th key from an end, counted from 1; where there are fewer it says nothing. */
final case class EndKey(place: Int, isGreatest: Boolean) extends EndStatistic

case object EndStructure extends StructureKind[EndStatistic]("block sort", answersEmpty = true) {
  protected def slider(asked: Array[EndStatistic], structure: Structure, bytes: KeptBytes): Slider =
    new EndSlider(asked)
}

private final class EndSlider(asked: Array[EndStatistic]) extends Slider(asked.length) {
  private val ends = asked.collect { case end: EndKey => end }

  // of each word which of these it is; −1: how many elements there are
  private val places = asked.map { case end: EndKey => ends.indexOf(end); case EndCount => -1 }
  private val sort = new BlockSort(new Ranks {
    def count: Int = ends.length
    def of(n: Int, into: Array[Int]): Unit = {
      var q = 0
      while (q < ends.length) {
        val place = math.min(ends(q).place, n)
        into(q) = if (ends(q).isGreatest) n + 1 - place else place
        q += 1
      }
    }
  })

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val keys = roomOf(ends.length * frames.rows)
    sort.slide(columns(0), frames, keys)
    var row = 0
    while (row < frames.rows) {
      var a = 0
      while (a < places.length) {
        out(row * places.length + a) =
          if (places(a) < 0) (frames.until(row) - frames.from(row)).toLong
          else keys(row * ends.length + places(a))
        a += 1
      }
      row += 1
    }
  }
}
