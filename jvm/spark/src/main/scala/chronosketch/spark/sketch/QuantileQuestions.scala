package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.types.DataType

import chronosketch.domain.{Conversion, Domain, DoubleKeys}
import chronosketch.families.Capabilities
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.aggregate.Answer
import chronosketch.shape.LinearQuantile
import chronosketch.spark.sql.{Arguments, Interpolation, KeyCodec, Phis}
import chronosketch.summary.{Estimate, Extremes, Summary}

/** `f(sketch, phi, type, interpolation)`: a question about the φ-quantile, answered in the type named. */
private[spark] sealed abstract class AboutQuantile(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  /** The type of the answer for a single phi. */
  protected def one(values: KeyCodec): DataType

  /** The function from a φ to the answer of a summary; null if the summary is empty. */
  protected def asking(summary: Summary, to: KeyCodec): Phi => Any

  /** The function from a φ to the answer interpolated between two neighbouring values. */
  protected def asking(line: LinearQuantile, to: KeyCodec): Phi => Any

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Arguments.checkPhi(2, arguments(1)),
    () => Questions.checkType(name, 3, arguments(2)),
    () => { Interpolation.isLinear(name, arguments(3)); TypeCheckSuccess }
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(2, Questions.settledType(arguments(2)))

  def dataType(arguments: Seq[Expression]): DataType =
    Phis.typed(arguments(1), one(Questions.typeNamed(arguments(2))))

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(2))
    val isLinear = Interpolation.isLinear(name, arguments(3))
    val phi = arguments(1)
    val constant = if (phi.foldable) Phis.of(Arguments.constant(phi), phi.dataType) else null
    values => {
      val summary = reader.open(values(0))
      val ask = if (isLinear) onLine(summary, to) else asking(summary, to)
      // keep nothing of a row's array: the next row may reuse its memory
      val phis = if (constant == null) Phis.of(values(1), phi.dataType) else constant
      if (ask == null) null else phis.map(ask)
    }
  }

  private def onLine(summary: Summary, to: KeyCodec): Phi => Any = {
    val line = LinearQuantile.of(Capabilities.requireBounded(summary), to.domain)
    Questions.refuseUnconvertible(summary.domain, to, call("phi"))
    line.fold(null: Phi => Any)(asking(_, to))
  }

  protected def call(phi: Any)(typeName: String): String = s"$name(sketch, $phi, '$typeName')"
}

case object SketchQuantile extends AboutQuantile("sketch_quantile") {
  protected def one(values: KeyCodec): DataType = values.dataType

  protected def asking(summary: Summary, to: KeyCodec): Phi => Any =
    Capabilities.requireQuantiles(summary) match {
      case Left(sketch) =>
        if (sketch.count == 0) null
        else phi => sketch.estimate(phi).fold(null: Any)(estimated(sketch, _, phi, to))
      case Right(sketch) =>
        sketch.quantiles.fold(null: Phi => Any) { key => phi =>
          Questions.convert(key(phi), summary.domain, to, Conversion.Nearest, call(phi))
        }
    }

  protected def asking(line: LinearQuantile, to: KeyCodec): Phi => Any = phi => to.value(line.value(phi))

  private def estimated(summary: Summary, estimate: Estimate, phi: Phi, to: KeyCodec): Any = {
    val held = summary.domain
    Questions.refuseUnconvertible(held, to, call(phi))
    // an estimate may lie between two values of the rows' type
    val isBetween = held.isNumeric && to.domain != held && !to.domain.kind.isInteger
    val (key, from) = if (isBetween) (DoubleKeys.key(estimate.value), Domain.Double) else (estimate.key, held)
    to.value(Conversion.convert(key, from, to.domain, Conversion.Nearest))
  }
}

/** `sketch_quantile_bounds`: bounds of the φ-quantile. They are rounded outward, so they enclose the exact quantile in every type. */
case object SketchQuantileBounds extends AboutQuantile("sketch_quantile_bounds") {
  protected def one(values: KeyCodec): DataType = Answer.bounds(values.dataType)

  protected def asking(summary: Summary, to: KeyCodec): Phi => Any = {
    val profile = Capabilities.requireBounded(summary).profile
    if (profile.isEmpty) null else bounds(summary.domain, profile, _, to)
  }

  protected def asking(line: LinearQuantile, to: KeyCodec): Phi => Any = phi => {
    val (low, high) = line.bounds(phi)
    new GenericInternalRow(Array(to.value(low), to.value(high)))
  }

  private def bounds(held: Domain, profile: RankProfile, phi: Phi, to: KeyCodec): Any = {
    val (low, high) = profile.quantileBounds(phi)
    new GenericInternalRow(
      Array(
        Questions.convert(low, held, to, Conversion.Down, call(phi)),
        Questions.convert(high, held, to, Conversion.Up, call(phi))
      )
    )
  }
}

/** `f(sketch, type)`: the least or the greatest value, in the type named. */
private[spark] sealed abstract class AboutEnd(name: String) extends TypedQuestion(name) {
  protected def end(extremes: Extremes): Option[Long]

  def dataType(arguments: Seq[Expression]): DataType = Questions.typeNamed(arguments(1)).dataType

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1))
    values => {
      val summary = reader.open(values(0))
      end(Capabilities.requireExtremes(summary)).fold(null: Any)(
        Questions.convert(_, summary.domain, to, Conversion.Nearest, t => s"$name(sketch, '$t')")
      )
    }
  }
}

case object SketchMin extends AboutEnd("sketch_min") {
  protected def end(extremes: Extremes): Option[Long] = extremes.minimum
}

case object SketchMax extends AboutEnd("sketch_max") {
  protected def end(extremes: Extremes): Option[Long] = extremes.maximum
}
