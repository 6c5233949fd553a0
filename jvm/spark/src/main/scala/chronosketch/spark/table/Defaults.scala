package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.{ArrayType, StringType}

import chronosketch.ddsketch.DDSketches
import chronosketch.history.HistorySketches
import chronosketch.quantile.QuantileSketch
import chronosketch.sample.SampleFamily
import chronosketch.window.WindowSketches
import chronosketch.window.moments.WindowMomentsSketches

/** What an argument is where it is left out: the same in SQL, in Scala and in Python, which a test compares with these. */
private[spark] object Defaults {

  /** Of answers without a sketch to keep: what percentile_approx allows too. */
  val AnswerEpsilon: Double = 1e-4
  val SketchEpsilon: Double = QuantileSketch.Epsilon.default
  val WindowEpsilon: Double = WindowSketches.Epsilon.default
  val WindowMomentsEpsilon: Double = WindowMomentsSketches.Epsilon.default
  val HistoryEpsilon: Double = HistorySketches.Epsilon.default
  val Alpha: Double = DDSketches.Alpha.default

  /** The name of the type in which a sketch answers. */
  val Type: String = "double"

  /** How a quantile that falls between two values is answered. */
  val Interpolation: String = chronosketch.spark.sql.Interpolation.Nearest

  /** What trimmed means leave out at either end. */
  val TrimLower: Double = 0.1
  val TrimUpper: Double = 0.9

  /** Of a histogram. */
  val Bins: Int = 10

  /** The name of the type in which a history shows its versions. */
  val VersionType: String = "bigint"

  /** The rows that a statistic is of are a sample, as for Spark's `variance` and `stddev`. */
  val Population: Boolean = false

  /** How many rows a sample of a window has, where chance begins, and how often bounds may fail. */
  val SampleSize: Int = SampleFamily.Size.default.toInt
  val Seed: Int = SampleFamily.Seed.default.toInt
  val Delta: Double = SampleFamily.Delta.default

  /** A histogram's counts are of its buckets, and of 0 there are those that are 0. */
  val Cumulative: Boolean = false
  val ZeroThreshold: Double = 0.0

  /** Whose bytes of a DDSketch are read and written, and that no bins of it were collapsed. */
  val Library: String = chronosketch.imported.datadog.Library.Java.name
  val Collapsed: String = chronosketch.imported.datadog.Collapsed.Nowhere.name

  /** The argument is not given. */
  def notGiven: Some[Literal] = Some(Literal(null))

  def noTexts: Some[Literal] = Some(Literal.create(Seq.empty[String], ArrayType(StringType)))
}
