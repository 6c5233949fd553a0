package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.{ArrayType, StringType}

import chronosketch.ddsketch.DDSketches
import chronosketch.history.HistorySketches
import chronosketch.quantile.QuantileSketch
import chronosketch.sample.SampleFamily
import chronosketch.window.WindowSketches
import chronosketch.window.moments.WindowMomentsSketches

/** The defaults of arguments. SQL, Scala and Python have the same defaults; tests compare them. */
private[spark] object Defaults {

  /** The epsilon of functions that return an answer instead of a sketch. percentile_approx allows the same error. */
  val AnswerEpsilon: Double = 1e-4
  val SketchEpsilon: Double = QuantileSketch.Epsilon.default
  val WindowEpsilon: Double = WindowSketches.Epsilon.default
  val WindowMomentsEpsilon: Double = WindowMomentsSketches.Epsilon.default
  val HistoryEpsilon: Double = HistorySketches.Epsilon.default
  val Alpha: Double = DDSketches.Alpha.default

  /** The name of the type in which a sketch answers. */
  val Type: String = "double"

  /** How a quantile between two values is computed. */
  val Interpolation: String = chronosketch.spark.sql.Interpolation.Nearest

  /** Scala's default of `tail`: the rank error is the same at all ranks. */
  val NoTail: String = null

  /** Quantile sketches do not keep sums. */
  val Sum: Boolean = false

  /** The phis of the quantiles between which a trimmed mean is taken. */
  val TrimLower: Double = 0.1
  val TrimUpper: Double = 0.9

  /** The number of bins of a histogram. */
  val Bins: Int = 10

  /** The name of the type in which a history shows its versions. */
  val VersionType: String = "bigint"

  /** Rows are treated as a sample of a population, as by Spark's `variance` and `stddev`. */
  val Population: Boolean = false

  /** The number of rows in a sample, the seed of its random numbers, and the probability that its bounds fail. */
  val SampleSize: Int = SampleFamily.Size.default.toInt
  val Seed: Int = SampleFamily.Seed.default.toInt
  val Delta: Double = SampleFamily.Delta.default

  /** Each count of a histogram counts its own bucket only, and only the value 0 counts as 0. */
  val Cumulative: Boolean = false
  val ZeroThreshold: Double = 0.0

  /** The library whose DDSketches are read and written, and which of their bins were collapsed (none). */
  val Library: String = chronosketch.interchange.datadog.Library.Java.name
  val Collapsed: String = chronosketch.interchange.datadog.Collapsed.Nowhere.name

  /** NULL, which means that the argument is not given. */
  def notGiven: Some[Literal] = Some(Literal(null))

  def noTexts: Some[Literal] = Some(Literal.create(Seq.empty[String], ArrayType(StringType)))
}
