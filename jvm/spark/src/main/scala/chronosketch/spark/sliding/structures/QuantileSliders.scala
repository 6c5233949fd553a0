package chronosketch.spark.sliding.structures

import org.apache.spark.sql.types.{DataType, DecimalType, DoubleType, FloatType}

import chronosketch.domain.DoubleKeys
import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.order.{BlockSort, Mode, Ranks}
import chronosketch.spark.sliding.frames.KeptBytes

/** The key of a φ-quantile. */
final case class KeyQuantile(phi: Phi) extends FrameStatistic {
  def structure: QuantileStructure.type = QuantileStructure
}

case object QuantileStructure extends Structure[KeyQuantile]("block sort") {
  protected def slider(stats: Array[KeyQuantile], spec: SliderSpec, bytes: KeptBytes): Slider =
    new QuantileSlider(stats.map(_.phi))
}

private final class QuantileSlider(phis: Array[Phi]) extends Slider(phis.length) {
  private val sort = new BlockSort(Ranks(phis.toSeq: _*))

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit =
    sort.slide(columns(0), frames, out)
}

/** Spark's `percentile`, a double. It interpolates between the two elements nearest to position share · (n − 1) in sorted order.
  *
  * @param dataType the type of the values; the elements are their keys
  */
final case class InterpolatedPercentile(share: Double, dataType: DataType) extends FrameStatistic {
  def structure: PercentileStructure.type = PercentileStructure
}

case object PercentileStructure extends Structure[InterpolatedPercentile]("block sort", words = 3) {
  protected def slider(stats: Array[InterpolatedPercentile], spec: SliderSpec, bytes: KeptBytes): Slider =
    new PercentileSlider(stats)
}

private final class PercentileSlider(stats: Array[InterpolatedPercentile]) extends Slider(stats.length) {
  private val shares = stats.map(_.share)
  private val number = PercentileSlider.number(stats(0).dataType)
  private val sort = new BlockSort(new Ranks {
    def count: Int = 2 * stats.length
    def of(n: Int, into: Array[Int]): Unit = {
      var a = 0
      while (a < stats.length) {
        val position = (n - 1).toDouble * shares(a)
        into(2 * a) = math.floor(position).toInt + 1
        into(2 * a + 1) = math.ceil(position).toInt + 1
        a += 1
      }
    }
  })

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val n = stats.length
    val keys = roomOf(2 * n * frames.rows)
    sort.slide(columns(0), frames, keys)
    var row = 0
    while (row < frames.rows) {
      val last = (frames.until(row) - frames.from(row) - 1).toDouble
      var a = 0
      while (last >= 0 && a < n) {
        val position = last * shares(a)
        val lower = math.floor(position)
        val higher = math.ceil(position)
        val lowerKey = keys(2 * (row * n + a))
        val higherKey = keys(2 * (row * n + a) + 1)
        val value =
          if (lower == higher || lowerKey == higherKey) number(lowerKey)
          else (higher - position) * number(lowerKey) + (position - lower) * number(higherKey)
        out(row * n + a) = java.lang.Double.doubleToRawLongBits(value)
        a += 1
      }
      row += 1
    }
  }
}

private object PercentileSlider {
  def number(dataType: DataType): Long => Double = dataType match {
    case FloatType | DoubleType => DoubleKeys.value
    case d: DecimalType => key => java.math.BigDecimal.valueOf(key, d.scale).doubleValue
    case _ => _.toDouble
  }
}

/** The most frequent key. Among several, the least or the greatest of them. */
final case class MostFrequentKey(isGreatest: Boolean) extends FrameStatistic {
  def structure: ModeStructure.type = ModeStructure
}

case object ModeStructure extends Structure[MostFrequentKey]("tournament") {
  protected def slider(stats: Array[MostFrequentKey], spec: SliderSpec, bytes: KeptBytes): Slider =
    new ModeSlider(stats.map(_.isGreatest))
}

/** Finds modes. For the greatest mode, it finds the least mode of the keys' complements. */
private final class ModeSlider(greatest: Array[Boolean]) extends Slider(greatest.length) {
  private val mode = new Mode
  private var complements = new Array[Long](0)

  def slide(columns: Array[Array[Long]], frames: Frames, out: Array[Long], outcomes: Array[Byte]): Unit = {
    val answers = answersOf(frames, out)
    var a = 0
    while (a < greatest.length) {
      if (greatest(a)) {
        mode.slide(complementsOf(columns(0), frames), frames, answers)
        var row = 0
        while (row < frames.rows) { answers(row) = ~answers(row); row += 1 }
      } else mode.slide(columns(0), frames, answers)
      scatter(answers, frames, a, out)
      a += 1
    }
  }

  private def complementsOf(keys: Array[Long], frames: Frames): Array[Long] = {
    val end = frames.until(frames.rows - 1)
    if (complements.length < end) complements = new Array[Long](end + end / 4)
    var i = frames.from(0)
    while (i < end) { complements(i) = ~keys(i); i += 1 }
    complements
  }
}
