package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, Literal}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, DataType, DoubleType, LongType, NullType, StructType}

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
  protected def profileOf(summary: Bounded): RankProfile = summary.rankEstimates
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

/** `f(sketch, points)`: the shares of elements in the ranges cut by strictly increasing points, or by one point. */
private[spark] sealed abstract class AboutShares(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  /** The answer for several points, given their positions in a profile of the summary. */
  protected def ask(summary: Bounded, positions: RankProfile => Array[Int]): ArrayData

  /** The answer for a single point, given that for an array of it. */
  protected def one(answers: ArrayData): Any

  /** The type of the elements of [[ask]]. */
  protected def elementType: DataType = DoubleType

  /** The type of [[one]]. */
  protected def oneType: DataType = elementType

  protected final def severalType: DataType = ArrayType(elementType, containsNull = false)

  def dataType(arguments: Seq[Expression]): DataType = if (isOne(arguments(1))) oneType else severalType

  private def isOne(points: Expression): Boolean = points.dataType match {
    case _: ArrayType | NullType => false
    case _ => true
  }

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () =>
      arguments(1).dataType match {
        case ArrayType(element, _) =>
          if (KeyCodec.of(element).isEmpty)
            Arguments.refuseElements(name, "points", arguments(1), element)
          TypeCheckSuccess
        case NullType => TypeCheckSuccess // NULL gives NULL, like a NULL sketch
        case _ => Arguments.checkValue(name, "points", arguments(1))
      },
    () => {
      if (arguments(1).foldable) checkConstantPoints(arguments(1))
      TypeCheckSuccess
    }
  )

  private def checkConstantPoints(points: Expression): Unit = Arguments.constant(points) match {
    case array: ArrayData =>
      Conditions.analysing(name, points.origin)(increasing(array, valuesOf(points)))
    case _ =>
  }

  private def valuesOf(points: Expression): KeyCodec =
    KeyCodec.of(points.dataType match {
      case ArrayType(element, _) => element
      case point => point
    }).get

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
    val isSingle = isOne(arguments(1))
    given => {
      val summary = reader.open(given(0))
      val bounded = Capabilities.requireBounded(summary)
      val points =
        if (isSingle) Array[Any](given(1)) else increasing(given(1).asInstanceOf[ArrayData], values)
      if (bounded.rankEstimates.isEmpty) null
      else {
        val answers =
          ask(bounded, profile => points.map(Questions.position(profile, summary.domain, values, _)))
        if (isSingle) one(answers) else answers
      }
    }
  }
}

case object SketchCdf extends AboutShares("sketch_cdf") {
  protected def one(answers: ArrayData): Any = answers.getDouble(0)
  protected def ask(summary: Bounded, positions: RankProfile => Array[Int]): ArrayData = {
    val profile = summary.rankEstimates
    ArrayData.toArrayData(positions(profile).map(profile.cdf))
  }
}

/** `sketch_cdf_bounds(sketch, points)`: the share at or below each point, with bounds on the exact one. */
case object SketchCdfBounds extends AboutShares("sketch_cdf_bounds") {
  override protected def elementType: DataType = new StructType()
    .add("share", DoubleType, nullable = false)
    .add("low", DoubleType, nullable = false)
    .add("high", DoubleType, nullable = false)

  protected def one(answers: ArrayData): Any = answers.getStruct(0, 3)

  protected def ask(summary: Bounded, positions: RankProfile => Array[Int]): ArrayData = {
    val (estimates, bounds) = (summary.rankEstimates, summary.profile)
    new GenericArrayData(
      positions(estimates).zip(positions(bounds)).map { case (estimate, bound) =>
        val (low, high) = bounds.cdfBounds(bound)
        new GenericInternalRow(Array[Any](estimates.cdf(estimate), low, high)): Any
      }
    )
  }
}

case object SketchPmf extends AboutShares("sketch_pmf") {
  override protected def oneType: DataType = severalType
  protected def one(answers: ArrayData): Any = answers
  protected def ask(summary: Bounded, positions: RankProfile => Array[Int]): ArrayData = {
    val profile = summary.rankEstimates
    ArrayData.toArrayData(profile.pmf(positions(profile)))
  }
}
