package chronosketch.spark.sliding

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.SQLConf

import chronosketch.sample.SampleFamily
import chronosketch.spark.sliding.functions.{SparkFunctions, StructureChoice}
import chronosketch.spark.sql.SparkPrivates

/** The settings of sliding frames. Spark treats them like its own and refuses a wrong value when it is set. */
object SlidingConf {
  val Enabled = "spark.chronosketch.sliding.enabled"
  val Accelerate = "spark.chronosketch.sliding.accelerate"
  val PackRows = "spark.chronosketch.sliding.packRows"

  val Ranges = "spark.chronosketch.sliding.ranges"
  val Structure = "spark.chronosketch.sliding.structure"
  val ExactFrameRows = "spark.chronosketch.sliding.exactFrameRows"

  val Epsilon = "spark.chronosketch.sliding.epsilon"
  val Delta = "spark.chronosketch.sliding.delta"
  val Seed = "spark.chronosketch.sliding.seed"

  private val All = "all"
  private val DefaultEpsilon = 0.01
  private val MostEpsilon = 0.5
  private val DefaultDelta = SampleFamily.Delta.default
  private val DefaultExactFrameRows = 10000000

  private lazy val declared: Unit = {
    SparkPrivates.declareBoolean(
      Enabled,
      "When true, functions of chronosketch OVER a window run in chronosketch's own operator.",
      "0.1.0",
      true
    )
    SparkPrivates.declareBoolean(
      PackRows,
      "When true, rows that a window needs in other tasks are moved there in blocks, packed by column.",
      "0.1.0",
      true
    )
    val functions = (SparkFunctions.Names ++ SparkFunctions.Synonyms.keys + All).toSeq.sorted
    SparkPrivates.declareNames(
      Accelerate,
      "Functions of Spark that also run in this operator when called OVER a sliding frame: names, or all.",
      "0.1.0",
      (names: Seq[String]) => names.forall(n => functions.contains(n.toLowerCase(Locale.ROOT))),
      s"It lists functions of Spark that slide: ${functions.mkString(", ")}."
    )
    SparkPrivates.declareCount(
      Ranges,
      "The number of ranges, one task each, to cut the rows of a window into, even if there are few rows. Applies to windows without PARTITION " +
        "BY, or with few groups (up to 256). 1 leaves each group in one task. 0 cuts into up to spark.sql.shuffle.partitions ranges if there are many " +
        "rows and their halos are small; with PARTITION BY only if statistics of its columns show that there are few groups.",
      "0.1.0",
      0
    )
    SparkPrivates.declareCount(
      ExactFrameRows,
      "Frames of up to this many rows, and always those of up to 2 / epsilon, are answered exactly by approx_quantile and " +
        "approx_quantile_bounds. Larger frames are answered within epsilon, in bounded memory.",
      "0.1.0",
      DefaultExactFrameRows
    )
    SparkPrivates.declareName(
      Structure,
      "The structure that slides, if it supports the call. For quantiles: block_sort for exact answers regardless of exactFrameRows, or one of " +
        "the others for frames of more than 2 / epsilon rows. For counts, sums, means and variances: a histogram or expiration_list. auto chooses.",
      "0.1.0",
      StructureChoice.Names.asJava
    )
    SparkPrivates.declareShare(
      Epsilon,
      "The relative error allowed for count, sum, avg, variances and standard deviations, if the setting structure names one that approximates these.",
      "0.1.0",
      DefaultEpsilon,
      MostEpsilon
    )
    SparkPrivates.declareShare(
      Delta,
      "The probability that an answer of a structure that draws samples is wrong by more than epsilon.",
      "0.1.0",
      DefaultDelta,
      SampleFamily.Delta.greatest
    )
    SparkPrivates.declareCount(Seed, "The seed of structures that draw samples.", "0.1.0", 0)
  }

  /** Declares the settings to Spark. */
  def register(): Unit = declared

  def isEnabled: Boolean = SQLConf.get.getConfString(Enabled, "true").toBoolean

  /** Whether the shuffle is Spark's own. Its writers have written a row when they return, so that it may be reused. */
  def hasSparksShuffle(conf: SparkConf): Boolean =
    Seq("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager")
      .contains(conf.get("spark.shuffle.manager", "sort"))

  /** Whether rows are moved to windows in packed blocks. */
  def packsRows: Boolean = SQLConf.get.getConfString(PackRows, "true").toBoolean

  /** Tells whether a Spark function runs in our operator. Takes its name as listed in [[SparkFunctions.Names]]. */
  def accelerates: String => Boolean = {
    val names =
      SQLConf.get.getConfString(Accelerate, "").split(',').map(_.trim.toLowerCase(Locale.ROOT)).toSet
    if (names(All)) _ => true else names.map(n => SparkFunctions.Synonyms.getOrElse(n, n))
  }

  /** The choice of structures in the session's settings. */
  def structure: StructureChoice = StructureChoice(
    SQLConf.get.getConfString(Structure, StructureChoice.Auto).toLowerCase(Locale.ROOT),
    SQLConf.get.getConfString(ExactFrameRows, DefaultExactFrameRows.toString).toLong,
    SQLConf.get.getConfString(Epsilon, DefaultEpsilon.toString).toDouble,
    SQLConf.get.getConfString(Delta, DefaultDelta.toString).toDouble,
    SQLConf.get.getConfString(Seed, "0").toLong
  )

  def ranges: Int = SQLConf.get.getConfString(Ranges, "0").toInt
}
