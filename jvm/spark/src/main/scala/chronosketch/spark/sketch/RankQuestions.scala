package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType, DoubleType, LongType, NullType}

import chronosketch.Refusal
import chronosketch.families.Capabilities
import chronosketch.rank.RankProfile
import chronosketch.spark.aggregate.Answer
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec}
import chronosketch.summary.Bounded

/** `f(sketch, value)`: a question about the number of elements at or below a value. */
private[spark] sealed abstract class AboutRank(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  protected def ask(profile: RankProfile, position: Int): Any

  /** The profile that gives the answer. */
  protected def profileOf(summary: Bounded): RankProfile

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Arguments.checkValue(name, "value", arguments(1))
  )

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val values = KeyCodec.of(arguments(1).dataType).get
    given => {
      val summary = reader.open(given(0))
      val profile = profileOf(Capabilities.requireBounded(summary))
      if (profile.isEmpty) null
      else ask(profile, Questions.position(profile, summary.domain, values, given(1)))
    }
  }
}

case object SketchRank extends AboutRank("sketch_rank") {
  def dataType(arguments: Seq[Expression]): DataType = LongType
  protected def profileOf(summary: Bounded): RankProfile = summary.estimates
  protected def ask(profile: RankProfile, position: Int): Any = profile.rank(position)
}

case object SketchRankBounds extends AboutRank("sketch_rank_bounds") {
  def dataType(arguments: Seq[Expression]): DataType = Answer.bounds(LongType)
  protected def profileOf(summary: Bounded): RankProfile = summary.profile
  protected def ask(profile: RankProfile, position: Int): Any = {
    val (low, high) = profile.rankBounds(position)
    new GenericInternalRow(Array[Any](low, high))
  }
}

/** `f(sketch, points)`: the shares of elements in the ranges cut by strictly increasing points. */
private[spark] sealed abstract class AboutShares(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  protected def ask(profile: RankProfile, positions: Array[Int]): Array[Double]

  def dataType(arguments: Seq[Expression]): DataType = ArrayType(DoubleType, containsNull = false)

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () =>
      arguments(1).dataType match {
        case ArrayType(element, _) =>
          if (KeyCodec.of(element).isEmpty)
            Arguments.refuseElements(name, "points", arguments(1), element)
          TypeCheckSuccess
        case NullType => TypeCheckSuccess // NULL gives NULL, like a NULL sketch
        case _ => Arguments.unexpectedType(2, "ARRAY", arguments(1))
      },
    () => {
      if (arguments(1).foldable) checkConstantPoints(arguments(1))
      TypeCheckSuccess
    }
  )

  private def checkConstantPoints(points: Expression): Unit = Arguments.constant(points) match {
    case null =>
    case array =>
      Conditions.analysing(name, points.origin)(increasing(array.asInstanceOf[ArrayData], valuesOf(points)))
  }

  private def valuesOf(points: Expression): KeyCodec =
    KeyCodec.of(points.dataType.asInstanceOf[ArrayType].elementType).get

  /** Reads the points. Throws if one is NULL or not above the one before. */
  private def increasing(points: ArrayData, values: KeyCodec): Array[Any] = {
    val each = Array.tabulate[Any](points.numElements()) { i =>
      if (points.isNullAt(i)) null else points.get(i, values.dataType)
    }
    var i = 0
    while (i < each.length) {
      val rises = each(i) != null && (i == 0 || values.key(each(i)) > values.key(each(i - 1)))
      if (!rises) {
        throw Refusal(
          "CHRONOSKETCH_INVALID_POINTS",
          "index" -> (i + 1).toString,
          "point" -> text(each(i), values),
          "before" -> (if (i == 0) "nothing" else text(each(i - 1), values))
        )
      }
      i += 1
    }
    each
  }

  /** The text of a value as SQL shows it, not as its key. */
  private def text(value: Any, values: KeyCodec): String =
    if (value == null) "NULL" else Literal(value, values.dataType).toString

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val values = valuesOf(arguments(1))
    given => {
      val summary = reader.open(given(0))
      val profile = Capabilities.requireBounded(summary).estimates
      val points = increasing(given(1).asInstanceOf[ArrayData], values)
      if (profile.isEmpty) null
      else {
        val positions = points.map(Questions.position(profile, summary.domain, values, _))
        ArrayData.toArrayData(ask(profile, positions))
      }
    }
  }
}

case object SketchCdf extends AboutShares("sketch_cdf") {
  protected def ask(profile: RankProfile, positions: Array[Int]): Array[Double] = positions.map(profile.cdf)
}

case object SketchPmf extends AboutShares("sketch_pmf") {
  protected def ask(profile: RankProfile, positions: Array[Int]): Array[Double] = profile.pmf(positions)
}
