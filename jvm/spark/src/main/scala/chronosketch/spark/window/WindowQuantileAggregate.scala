package chronosketch.spark.window

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.{AsWindowQuantile, FunctionCall, Planned, SketchAggregate}
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, KeyCodec, Phis, Span}
import chronosketch.window.{Constraint, NormalForm, WindowSketches, Windowed}

/** Computes the φ-quantile of the rows of a group that a window selects.
  *
  * @param window the structure of the window
  * @param parts  the parts of the window: constant spans and numbers of rows, and conditions on rows
  * @param asOf   the time at which windows end; if absent, the newest row
  */
final case class WindowQuantileAggregate(
    value: Expression,
    time: Expression,
    phi: Expression,
    window: Window,
    parts: Seq[Expression],
    epsilon: Expression,
    asOf: Option[Expression],
    planned: Planned = Planned()
) extends WindowAggregate(planned) {
  override def prettyName: String = WindowQuantileAggregate.Name
  override def children: Seq[Expression] = Seq(value, time, phi, epsilon) ++ asOf ++ parts
  override def nullable: Boolean = true
  override def dataType: DataType = Phis.typed(phi, KeyCodec.of(value.dataType).get.dataType)

  protected def family: WindowSketches.type = WindowSketches
  protected def filterNames: Vector[String] = conditions.indices.map(_.toString).toVector
  protected def retentionLength: Long = Windowed.KeepAll
  override protected def until: Option[Expression] = asOf

  private def isCondition(leaf: Window.Leaf): Boolean = leaf match {
    case Window.Plain(part) => Window.isCondition(parts(part))
    case _ => false
  }

  /** The distinct conditions of the window. Each becomes a filter of the sketch. */
  @transient override protected lazy val conditions: Seq[Expression] =
    window.leaves.filter(isCondition).map(leaf => parts(leaf.part)).foldLeft(Seq.empty[Expression]) {
      (distinct, e) => if (distinct.exists(_.semanticEquals(e))) distinct else distinct :+ e
    }

  @transient private lazy val constraint: Constraint = window.constraint { leaf =>
    val part = parts(leaf.part)
    leaf match {
      case Window.Among(_) => Window.among(part)
      case Window.Plain(_) if isCondition(leaf) =>
        Constraint.Passes(conditions.indexWhere(_.semanticEquals(part)))
      case _ => Window.within(prettyName, part, timeDomain)
    }
  }

  /** The normal form of the window, for EXPLAIN. An invalid window is shown as written, for the message that rejects it. */
  private def normalForm: String =
    try NormalForm.of(constraint).text(i => Arguments.unqualified(conditions(i)), Span.text(_, timeDomain))
    catch { case NonFatal(_) => window.sql(parts.map(Arguments.unqualified)) }

  override def text: String = {
    val others = Seq(epsilon) ++ asOf
    (Seq(value, time, phi).map(Arguments.unqualified) ++ Seq(normalForm) ++ others.map(Arguments.unqualified))
      .mkString(s"$prettyName(", ", ", ")")
  }

  override protected def flatArguments: Iterator[Any] =
    Iterator[Any](value, time, phi, normalForm, epsilon) ++ asOf

  override protected def fullSql(isDistinct: Boolean): String = {
    val distinct = if (isDistinct) "DISTINCT " else ""
    (Seq(value.sql, time.sql, phi.sql, window.sql(parts.map(_.sql)), epsilon.sql) ++ asOf.map(_.sql))
      .mkString(s"$prettyName($distinct", ", ", ")")
  }

  /** The window as the argument of a question to [[sketched]], which has the conditions as its filters. */
  private[window] def asked: (Window, Seq[Expression]) = {
    val named = parts.map(part => conditions.indexWhere(_.semanticEquals(part))).zip(parts).map {
      case (filter, part) => if (filter < 0) part else Literal(filter.toString)
    }
    (window.replaceLeaves(leaf => if (isCondition(leaf)) Window.Named(leaf.part) else leaf), named)
  }

  /** The aggregate that builds the sketch of all rows, whatever their times. */
  def sketched: WindowSketchAggregate =
    new WindowSketchAggregate(
      WindowSketchAggregate.Name,
      family,
      value,
      time,
      epsilon,
      None,
      filterNames,
      conditions
    )

  def call(column: Int): FunctionCall = FunctionCall(
    prettyName,
    text,
    column,
    AsWindowQuantile(constraint, asOfKey),
    value.dataType,
    Some(Literal.create(Arguments.constant(phi), phi.dataType))
  )

  override def checkInputDataTypes(): TypeCheckResult = Arguments.all(
    () => checkRows(),
    () => Arguments.checkConstantPhi(3, phi),
    () => checkParts(),
    () => checkRows(epsilonAt = 5),
    () => asOf.fold[TypeCheckResult](TypeCheckSuccess)(checkAsOf),
    () => checkRecipe()
  )

  private def checkParts(): TypeCheckResult = {
    window.leaves.foreach {
      case Window.Named(part) =>
        throw Conditions.analysisError(
          "CHRONOSKETCH_FILTER_OF_SKETCH",
          origin,
          "function" -> prettyName,
          "filter" -> Arguments.unqualified(parts(part))
        )
      case _ =>
    }
    val plain = window.leaves.collect { case leaf @ Window.Plain(part) if !isCondition(leaf) => parts(part) }
    plain match {
      // combined with other parts, or under NOT, only a condition is allowed
      case Seq(e) if window.leaves.size > 1 || !window.isInstanceOf[Window.Leaf] =>
        Arguments.unexpectedType(4, "BOOLEAN", e)
      case Seq(e) => Arguments.all(
          () => WithinLast.check(prettyName, "window", 4, e),
          () => checkConstraint()
        )
      case _ => checkConstraint()
    }
  }

  private def checkConstraint(): TypeCheckResult = {
    Conditions.analysing(prettyName, origin)(Constraint.check(constraint))
    TypeCheckSuccess
  }

  private def checkAsOf(e: Expression): TypeCheckResult = Arguments.all(
    () => EventTime.check(prettyName, "as_of", e),
    () =>
      if (EventTime.of(e.dataType).exists(_.domain.widen(timeDomain).nonEmpty)) TypeCheckSuccess
      else Arguments.unexpectedType(6, timeDomain.sql, e),
    () => Arguments.checkFoldable("as_of", "the type of event_time", e)
  )

  protected def withPlanned(planned: Planned): WindowQuantileAggregate = copy(planned = planned)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): WindowQuantileAggregate = copy(
    value = c(0),
    time = c(1),
    phi = SketchAggregate.constant(phi, c(2)),
    epsilon = SketchAggregate.constant(epsilon, c(3)),
    asOf = asOf.map(SketchAggregate.constant(_, c(4))),
    parts = parts.zip(c.takeRight(parts.size)).map { case (before, after) =>
      SketchAggregate.constant(before, after)
    }
  )
}

object WindowQuantileAggregate {
  val Name = "approx_window_quantile"

  /** Builds the call from the function's arguments: the aggregate, or what replaces it if `as_of` is not a constant. */
  def of(e: Seq[Expression]): Expression = {
    val (window, parts) = Window.of(e(3))
    val aggregate = new WindowQuantileAggregate(
      e(0),
      EventTime.typed(e(1)),
      e(2),
      window,
      parts,
      SketchAggregate.asDouble(e(4)),
      Option.when(EventTime.isGiven(e(5)))(e(5))
    )
    aggregate.asOf.filterNot(_.foldable).flatMap(WindowQuantileAt.of(e, aggregate, _)).getOrElse(aggregate)
  }
}
