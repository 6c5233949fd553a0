package chronosketch.spark.sliding.structures

import chronosketch.sliding.Frames
import chronosketch.sliding.order.{BlockSort, Ranks}
import chronosketch.spark.sliding.frames.KeptBytes

/** A statistic of the least or greatest keys of a frame. */
sealed abstract class EndStatistic extends FrameStatistic {
  def kind: EndStructure.type = EndStructure
}

/** The number of elements. */
case object EndCount extends EndStatistic

/** The n-th least or greatest key; `place` is n, counted from 1. The word is undefined if the frame has fewer elements. */
final case class EndKey(place: Int, isGreatest: Boolean) extends EndStatistic

case object EndStructure extends StructureKind[EndStatistic]("block sort", answersEmpty = true) {
  protected def slider(stats: Array[EndStatistic], structure: Structure, bytes: KeptBytes): Slider =
    new EndSlider(stats)
}

private final class EndSlider(stats: Array[EndStatistic]) extends Slider(stats.length) {
  private val ends = stats.collect { case end: EndKey => end }

  // for each word the index of its key in `ends`; −1 for the number of elements
  private val places = stats.map { case end: EndKey => ends.indexOf(end); case EndCount => -1 }
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
